// Which test files of the console have a page and modules of their own, and which share them with others: to load the libraries takes
// four times as long as to run the tests.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
/** Their modules keep what the whole console shares: who is signed in, what is on the device, whether there is a network. */
const ownFolders = /^pwa\/(api|app|offline)\//;
/** What changes the page or the clock itself. */
const changesThePage =
  /\bvi\.(spyOn|stub\w+|useFakeTimers|setSystemTime|mock)\b|onlineManager|\bdefineProperty\b|\bhistory\.|location\.(href|assign|replace)/;
/** Looks for what a call has cost for some seconds: in a page that is shared, at the server of whoever has it next. */
const looksForCharges = /from '\.\/ask\.ts'/;

export const withOwnPage: readonly string[] = globSync('pwa/**/*.test.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter(
    (file) =>
      ownFolders.test(file) || [changesThePage, looksForCharges].some((use) => use.test(readFileSync(path.join(root, file), 'utf8'))),
  )
  .sort();
