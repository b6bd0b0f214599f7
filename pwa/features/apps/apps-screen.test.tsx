import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Token } from '#shared/tokens.ts';
import { buildConsoleToken } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { AppsScreen } from './apps-screen.tsx';

let server: FixtureServer;
let screen: DrawnScreen;
let keys: Token[] = [];

beforeAll(async () => {
  await startScreenTexts('apps', 'tokens');
  server = await startFixtureServer();
  server.answer((_requested, response) => sendJson(response, { success: true, message: '', data: keys }));
});
afterAll(() => server.stop());
afterEach(() => screen.leave());

test('a key that was allowed on a page of its own is listed when the list is focused again', async () => {
  screen = drawScreen(<AppsScreen search={{}} onSearch={() => {}} />);
  await shows(() => expect(screen.text()).toContain('No application has a key'));
  const application = {
    name: 'Aider',
    way: 'redirect',
    target: 'localhost:4000',
    ref: 'aider',
    ip: '10.0.0.1',
    at: 1_790_000_000,
  } as const;
  keys = [buildConsoleToken({ name: 'Aider', application, unlimited_quota: false, remain_quota: 2_500_000, expired_time: -1 })];
  window.dispatchEvent(new Event('visibilitychange'));
  await shows(() => expect(screen.text()).toContain('Aider'));
});
