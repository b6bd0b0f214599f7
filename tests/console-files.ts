// Which test files of the console have a page and modules of their own, and which share them with others: to load the libraries takes
// four times as long as to run the tests.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
/** Their modules hold state of the whole console: the user, the device's data, the connection. */
const ownFolders = /^pwa\/(api|app|offline)\//;
/** What changes the page or the clock itself. */
const changesThePage =
  /\bvi\.(spyOn|stub\w+|useFakeTimers|setSystemTime|mock)\b|onlineManager|\bdefineProperty\b|\bhistory\.|location\.(href|assign|replace)/;
/** Polls for the charges of a call for some seconds: in a shared page it would poll the next file's server. */
const looksForCharges = /from '\.\/ask\.ts'/;

export const withOwnPage: readonly string[] = globSync('pwa/**/*.test.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter(
    (file) =>
      ownFolders.test(file) || [changesThePage, looksForCharges].some((use) => use.test(readFileSync(path.join(root, file), 'utf8'))),
  )
  .sort();
