// The screens of the console by their addresses: they are the files of routes, so a new one is known without being listed.
import { globSync } from 'node:fs';
import path from 'node:path';

const routes = path.resolve(import.meta.dirname, '../../../pwa/routes');

/** Those with a parameter are reached from others. */
export const shellScreens = screensIn('_shell').filter((screen) => !screen.includes('$'));
export const plainScreens = screensIn('_plain').filter((screen) => screen !== '/setup' && !screen.includes('$'));
/** Of a record each, by its number. */
export const recordScreens = (id: number): string[] =>
  screensIn('_shell')
    // The number of an organisation is that of its account, and others have no screen: see `organisations.test.ts`.
    .filter((screen) => screen.includes('$id') && screen !== '/organisation/$id')
    .map((screen) => screen.replace('$id', String(id)));
/** Screens with a record panel next to their list. */
export const listScreens = ['/token', '/channel', '/user', '/log'].filter((screen) => shellScreens.includes(screen));

function screensIn(folder: string): string[] {
  const screens = globSync('**/*.tsx', { cwd: path.join(routes, folder) })
    .map((file) =>
      file
        .replace(/\.tsx$/, '')
        .replaceAll(/[.\\]/g, '/')
        .replace(/(^|\/)index$/, ''),
    )
    .map((name) => `/${name}`)
    .filter((screen) => !screen.includes('/-'));
  return [...new Set(screens)].sort();
}
