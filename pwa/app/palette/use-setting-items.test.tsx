import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import { forgetUser, storeUser } from '#pwa/api/stored-user.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { Palette } from './palette.tsx';

let server: FixtureServer;
let screen: DrawnScreen;

beforeAll(async () => {
  await startScreenTexts('palette', 'shell');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.answer((_request, response) => sendJson(response, { success: true, message: '', data: [] }));
});
afterEach(() => {
  screen.leave();
  forgetUser();
});

const open = (role: number): void => {
  storeUser(buildConsoleUser({ role }));
  screen = drawScreen(<Palette onClose={() => {}} onSignOut={() => {}} />);
};
const type = (text: string) => screen.type('Go to, find or do', text);
const options = () => [...document.querySelectorAll('[role=option]')].map((option) => option.textContent ?? '');

const settingRows = () => [...document.querySelectorAll('[aria-labelledby$="-settings"] [role=option]')];

describe('palette: settings', () => {
  test('are found by their name and by their key', async () => {
    open(Role.root);
    type('smtp serv');
    await shows(() => expect(options()).toHaveLength(1));
    expect(options()[0]).toContain('SMTPServer');
    type('retrytimes');
    await shows(() => expect(options()).toHaveLength(1));
    expect(options()[0]).toContain('Retries per failed call');
    type('oidc.client_id');
    await shows(() => expect(options()[0]).toContain('oidc.client_id'));
  });

  test('of many only the first rows are shown, and none for a letter or an action', async () => {
    open(Role.root);
    type('Enabled');
    await shows(() => expect(settingRows()).toHaveLength(6));
    type('> Enabled');
    expect(settingRows()).toHaveLength(0);
    type('E');
    expect(settingRows()).toHaveLength(0);
  });

  test('are offered to who may change them: of an administrator not those of the super administrator, of a user none', async () => {
    open(Role.admin);
    type('ModelRatio');
    await shows(() => expect(settingRows()).not.toHaveLength(0));
    type('SMTPToken');
    await shows(() => expect(screen.text()).toContain('Nothing was found.'));
    screen.leave();
    open(Role.user);
    type('ModelRatio');
    await shows(() => expect(screen.text()).toContain('Nothing was found.'));
  });
});
