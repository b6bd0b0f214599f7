import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import { buildConsoleChannel, buildConsoleToken, buildConsoleUser, buildSiteStatus } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { CallStep } from './call-step.tsx';
import type { Guide } from './use-guide.ts';

let server: FixtureServer;
let screen: DrawnScreen;

beforeAll(async () => {
  await startScreenTexts('guide');
  server = await startFixtureServer();
  server.answer((_asked, response) => sendJson(response, { success: true, message: '', data: buildSiteStatus() }));
});
afterAll(() => server.stop());
afterEach(() => screen.leave());

function open(unpriced: string[], isAdmin: boolean): void {
  const user = buildConsoleUser({ role: isAdmin ? Role.root : Role.user, quota: 500_000 });
  const channel = isAdmin ? buildConsoleChannel() : undefined;
  const guide: Guide = {
    isAdmin,
    user,
    channel,
    channelCount: 1,
    token: buildConsoleToken(),
    models: [],
    unpriced,
    hasCalled: false,
    isForClients: false,
  };
  screen = drawScreen(<CallStep number={3} guide={guide} state={undefined} />);
}
const doors = () => [...document.querySelectorAll('a')].map((one) => one.getAttribute('href'));

test('models without a price lead to the prices, and to the mode that needs none', () => {
  open(['kling-v1', 'kling-v2', 'kling-v3', 'kling-v4', 'kling-v5'], true);
  expect(screen.text()).toContain('kling-v1, kling-v2, kling-v3 and 2 more have no price');
  expect(doors()).toEqual(['/setting?field=ModelRatio', '/setting?field=SelfUseModeEnabled']);
});

test('one is called by its name', () => {
  open(['tide-bot'], true);
  expect(screen.text()).toContain('tide-bot has no price');
});

test('who is no administrator is sent to one', () => {
  open(['tide-bot'], false);
  expect(screen.text()).toContain('Ask your administrator');
  expect(doors()).toEqual([]);
});
