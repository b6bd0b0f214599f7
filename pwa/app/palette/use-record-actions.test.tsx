import { flushSync } from 'react-dom';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import { forgetUser, storeUser } from '#pwa/api/stored-user.ts';
import { dropUndos } from '#pwa/ui/frame/toast.ts';
import { buildConsoleChannel, buildConsoleToken, buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { Palette } from './palette.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
/** Changes that the server received. */
let changes: { path: string; body: unknown }[];
let refusal: object | undefined;

const channels = [buildConsoleChannel({ id: 9, name: 'azure-east' }), buildConsoleChannel({ id: 12, name: 'azure-west', status: 3 })];
const tokens = [buildConsoleToken({ id: 4, name: 'azure-ide' })];
const users = [
  buildConsoleUser({ id: 21, username: 'azure-team', status: 2 }),
  buildConsoleUser({ id: 22, username: 'azure-ops', status: 2, role: Role.admin }),
];

beforeAll(async () => {
  await startScreenTexts('palette', 'shell');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  changes = [];
  refusal = undefined;
  server.answer(({ method, url, body }, response) => {
    const path = url.split('?')[0] ?? '';
    const answer = (data: unknown, more: object = {}) => sendJson(response, { success: true, message: '', data, ...more });
    if (method !== 'GET' || path.startsWith('/api/channel/test/')) {
      changes.push({ path, body });
      if (refusal !== undefined) return sendJson(response, refusal);
      if (path === '/api/channel/') return answer({ ...channels[0], revision: 7 });
      if (path === '/api/token/') return answer({ ...tokens[0], revision: 3 });
      return path.startsWith('/api/channel/test/') ? answer(null, { time: 0.4 }) : answer(users[0]);
    }
    if (path === '/api/channel/search') return answer(channels);
    if (path === '/api/token/search') return answer(tokens);
    if (path === '/api/user/search') return answer({ items: users, total: 2, page: 1, page_size: 5 });
    return answer([]);
  });
});
afterEach(() => {
  dropUndos();
  screen.leave();
  forgetUser();
});

async function find(role: number, typed: string): Promise<void> {
  storeUser(buildConsoleUser({ id: 1, username: 'keeper', role }));
  screen = drawScreen(<Palette onClose={() => {}} onSignOut={() => {}} />);
  screen.type('Go to, find or do', typed);
  await shows(() => expect(rows().join()).toContain('azure-ide'));
}
const rows = () => [...document.querySelectorAll('[role=option]')].map((row) => row.querySelectorAll('span')[0]?.textContent ?? '');
const offered = () =>
  [...document.querySelectorAll('[aria-labelledby$="-record"] [role=option]')].map((row) => row.querySelectorAll('span')[0]?.textContent);
const chosen = () => document.querySelector('[role=option][aria-selected=true]')?.textContent ?? '';
const press = (key: string) =>
  flushSync(() => {
    document.querySelector('[role=combobox]')?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  });
function run(name: string): void {
  const row = [...document.querySelectorAll<HTMLElement>('[role=option]')].find((one) => one.textContent === name);
  flushSync(() => row?.click());
}
/** Down to the row that begins so. */
function choose(name: string): void {
  for (let presses = 0; presses < 30 && !chosen().startsWith(name); presses += 1) press('ArrowDown');
  expect(chosen()).toContain(name);
}

describe('palette: actions of a record', () => {
  test('follow the chosen record, and an arrow leads to them', async () => {
    await find(Role.admin, 'azure');
    expect(offered()).toEqual(['Disable azure-ide', 'Calls with azure-ide']);
    choose('azure-west');
    expect(offered()).toEqual(['Test azure-west', 'Enable azure-west', 'Calls through azure-west']);
    press('ArrowRight');
    expect(chosen()).toContain('Test azure-west');
    press('ArrowDown');
    expect(chosen()).toContain('Enable azure-west');
    expect(offered()).toHaveLength(3);
  });

  test('a channel is disabled, told with its undo, and enabled again unless somebody has changed it since', async () => {
    await find(Role.admin, 'azure');
    choose('azure-east');
    press('ArrowRight');
    press('ArrowDown');
    press('Enter');
    await shows(() => expect(screen.text()).toContain('azure-east is disabled.'));
    expect(changes).toEqual([{ path: '/api/channel/', body: { id: 9, status: 2 } }]);
    screen.press('Undo');
    await shows(() => expect(changes).toHaveLength(2));
    expect(changes[1]?.body).toEqual({ id: 9, status: 1, revision: 7 });
  });

  test('a token is disabled with its undo', async () => {
    await find(Role.user, 'azure');
    run('Disable azure-ide');
    await shows(() => expect(screen.text()).toContain('azure-ide is disabled.'));
    screen.press('Undo');
    await shows(() =>
      expect(changes.map(({ body }) => body)).toEqual([
        { id: 4, status: 2 },
        { id: 4, status: 1, revision: 3 },
      ]),
    );
  });

  test('a test says how it went, and a refusal why', async () => {
    await find(Role.admin, 'azure');
    choose('azure-east');
    run('Test azure-east');
    await shows(() => expect(screen.text()).toContain('azure-east passed its test in 400 ms.'));
    refusal = { success: false, message: 'the provider refuses the key', code: 'channel_test_failed', time: 0.1 };
    run('Test azure-east');
    await shows(() => expect(screen.text()).toContain('the provider refuses the key'));
  });

  test('nobody is offered what is above them: a user no channel, an administrator no administrator', async () => {
    await find(Role.user, 'azure');
    expect(rows().join()).not.toContain('azure-east');
    screen.leave();
    await find(Role.admin, 'azure');
    choose('azure-team');
    expect(offered()).toEqual(['Unban azure-team', 'Calls of azure-team']);
    choose('azure-ops');
    expect(offered()).toEqual(['Calls of azure-ops']);
  });
});
