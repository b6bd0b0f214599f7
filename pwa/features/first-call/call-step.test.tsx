import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import { buildConsoleChannel, buildConsoleToken, buildConsoleUser, buildSiteStatus } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
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

function open(unpriced: string[], isAdmin: boolean, models: string[] = [], failing: string[] = []): void {
  const user = buildConsoleUser({ role: isAdmin ? Role.root : Role.user, quota: 500_000 });
  const channel = isAdmin ? buildConsoleChannel() : undefined;
  const guide: Guide = {
    isAdmin,
    user,
    channel,
    channelCount: 1,
    token: buildConsoleToken(),
    models,
    failing: new Set(failing),
    prices: new Map(),
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

test('each program starts with the best model of its family, and keeps the one that is chosen for it', async () => {
  open([], true, ['gpt-4o-mini', 'gpt-5.1', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'whisper-1']);
  const model = () => document.querySelector<HTMLSelectElement>('select[aria-label=Model]')?.value;
  const choose = (label: string, value: string) => {
    const select = document.querySelector<HTMLSelectElement>(`select[aria-label='${label}']`);
    if (select === null) throw new Error(label);
    select.value = value;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  };
  expect(model()).toBe('gpt-4o-mini');
  screen.press('Programs');
  await shows(() => expect(model()).toBe('claude-sonnet-4-5'));
  expect(screen.text()).toContain("ANTHROPIC_MODEL='claude-sonnet-4-5'");
  choose('Program or library', 'codex');
  await shows(() => expect(screen.text()).toContain("codex -m 'gpt-5.1'"));
  choose('Model', 'gpt-4o-mini');
  await shows(() => expect(screen.text()).toContain("codex -m 'gpt-4o-mini'"));
  choose('Program or library', 'gemini_cli');
  await shows(() => expect(screen.text()).toContain("gemini -m 'gemini-2.5-pro'"));
  choose('Program or library', 'codex');
  await shows(() => expect(model()).toBe('gpt-4o-mini'));
  choose('Program or library', 'opencode');
  await shows(() => expect(screen.text()).toContain('"model": "tidegate/claude-sonnet-4-5"'));
  for (const name of ['gpt-4o-mini', 'gpt-5.1', 'claude-sonnet-4-5', 'gemini-2.5-pro']) expect(screen.text()).toContain(`"${name}": {}`);
  expect(screen.text()).not.toContain('whisper-1": {}');
});

test('a program starts with a model that works', async () => {
  open([], true, ['gpt-4o-mini', 'claude-sonnet-4-5'], ['claude-sonnet-4-5']);
  screen.press('Programs');
  await shows(() => expect(screen.text()).toContain("ANTHROPIC_MODEL='gpt-4o-mini'"));
});
