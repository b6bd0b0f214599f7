// What the outbox does when the server is there and does not take an edit; and whose edits go which way.
import 'fake-indexeddb/auto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTexts } from '#pwa/i18n/setup.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type Requested, type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { editKinds, kindOf } from './edits/registry.ts';
import { ownSettingBody, ownSettingKeys, ownSettingState } from './edits/own-setting.ts';
import { watchConnection } from './online-status.tsx';
import { discardAll, outboxEntries, queueEdit, reload, replayOutbox, startOutbox } from './outbox.ts';
import { shows } from '#tests/support/shows.ts';

let server: FixtureServer;
let userId: number;
let shown: string[];
let answer: { body: object; status?: number; headers?: Record<string, string> };
let stop: (() => void)[];
const saved = { success: true, message: '', data: { key: 'SystemName', value: 'New', revision: 42 } };

beforeAll(async () => {
  server = await startFixtureServer();
  await startTexts();
});
afterAll(() => server.stop());
beforeEach(async () => {
  userId = 1;
  shown = [];
  answer = { body: saved };
  server.requested.length = 0;
  server.answer(({ url }, response) => {
    if (url === '/api/status') return sendJson(response, { success: false, message: 'no status here' });
    return sendJson(response, answer.body, answer.status ?? 200, answer.headers ?? {});
  });
  stop = [watchConnection(), startOutbox({ userId: () => userId, onSent: (keys) => shown.push(...[...keys].map(String)) })];
  await shows(() => expect(outboxEntries()).toEqual([]));
});
afterEach(async () => {
  vi.useRealTimers();
  for (const user of [1, 2]) await discardAll(user);
  for (const end of stop) end();
});

const edits = (): Requested[] => server.requested.filter(({ url }) => url !== '/api/status');
const option = (mine = 'New', optionKey = 'SystemName') => queueEdit({ optionKey, base: { value: 'Old', revision: 41 }, mine });

describe('outbox retries', () => {
  test.each([
    [429, { 'retry-after': '1' }],
    [503, { 'retry-after': '1' }],
  ])('%i: the edit waits as long as it was told, then goes out by itself', async (status, headers) => {
    answer = { body: { success: false, message: 'busy', code: 'busy' }, status, headers };
    await option();
    expect(outboxEntries()).toMatchObject([{ state: 'waiting', mine: 'New' }]);
    expect(edits()).toHaveLength(1);
    answer = { body: saved };
    await shows(() => expect(outboxEntries()).toEqual([]));
    expect(edits()).toHaveLength(2);
    expect(shown).toEqual(['options']);
  });

  test('a session that is over: the edit waits for whoever signs in again, and is not refused', async () => {
    answer = { body: { success: false, message: '未登录', code: 'not_logged_in' }, status: 401 };
    await option();
    expect(outboxEntries()).toMatchObject([{ state: 'waiting' }]);
    answer = { body: saved };
    await replayOutbox();
    expect(outboxEntries()).toEqual([]);
  });

  test('a refused edit lets none behind it overtake it', async () => {
    answer = { body: { success: false, message: '值不合法', code: 'option_not_text' } };
    await option('Bad');
    await option('later', 'Footer');
    expect(outboxEntries().map(({ optionKey, state }) => [optionKey, state])).toEqual([
      ['SystemName', 'refused'],
      ['Footer', 'waiting'],
    ]);
    expect(edits()).toHaveLength(1);
  });

  test('nothing is queued for nobody', async () => {
    userId = 0;
    await expect(option()).rejects.toThrow('nobody is signed in');
    expect(edits()).toEqual([]);
  });

  test('what one person queued stays on the device until that person is back', async () => {
    answer = { body: { success: false, message: 'busy', code: 'busy' }, status: 503 };
    await option();
    userId = 2;
    await reload();
    expect(outboxEntries()).toEqual([]);
    answer = { body: saved };
    await replayOutbox();
    expect(edits()).toHaveLength(1);
    userId = 1;
    await reload();
    await replayOutbox();
    expect(edits()).toHaveLength(2);
    expect(outboxEntries()).toEqual([]);
  });

  test('a sign-out that was confirmed drops the edits of that person only', async () => {
    answer = { body: { success: false, message: 'busy', code: 'busy' }, status: 503 };
    await option();
    userId = 2;
    await option('of the other');
    await discardAll(1);
    expect(outboxEntries()).toMatchObject([{ mine: 'of the other' }]);
    userId = 1;
    await reload();
    expect(outboxEntries()).toEqual([]);
  });
});

describe('kinds of edits', () => {
  test('each key has one kind, and one that nobody knows is told by the server', () => {
    for (const [key, shownBy] of [
      ['SystemName', 'options'],
      ['display_name', 'self'],
      ...ownSettingKeys.map((own) => [own, 'self'] as const),
      ['an option of yesterday', 'options'],
    ] as const) {
      expect(editKinds.filter((kind) => kind.owns(key)).length, key).toBeLessThanOrEqual(1);
      expect(kindOf(key).shownBy, key).toBe(shownBy);
    }
  });

  test('the low-water mark goes out as a number, a switch as a switch, with the revision they began from', async () => {
    answer = { body: { success: true, message: '', data: buildConsoleUser() } };
    await queueEdit({ optionKey: 'quota_warning_threshold', base: { value: '', revision: 3 }, mine: '250000' });
    await queueEdit({ optionKey: 'accept_unset_model_ratio_model', base: { value: 'false', revision: 3 }, mine: 'true' });
    expect(edits().map(({ url, body }) => [url, body])).toEqual([
      ['/api/user/setting', { quota_warning_threshold: 250_000, revision: 3 }],
      ['/api/user/setting', { accept_unset_model_ratio_model: true, revision: 3 }],
    ]);
    expect(shown).toEqual(['self', 'self']);
  });

  test('a name goes its own way', async () => {
    answer = { body: { success: true, message: '', data: buildConsoleUser() } };
    await queueEdit({ optionKey: 'display_name', base: { value: 'Alice', revision: 3 }, mine: 'Alicia' });
    expect(edits().map(({ url, body }) => [url, body])).toEqual([['/api/user/self', { display_name: 'Alicia', revision: 3 }]]);
  });

  test('a name that was changed elsewhere meanwhile is a conflict with what is there now', async () => {
    const theirs = buildConsoleUser({ display_name: 'Ally', revision: 8 });
    answer = { body: { success: false, message: 'changed', code: 'revision_conflict', data: theirs } };
    await queueEdit({ optionKey: 'display_name', base: { value: 'Alice', revision: 3 }, mine: 'Alicia' });
    expect(outboxEntries()).toMatchObject([{ state: 'conflict', theirs: { value: 'Ally', revision: 8 } }]);
  });

  test('of an account whose other fields changed, an own setting is no conflict', async () => {
    const theirs = buildConsoleUser({ display_name: 'Ally', revision: 8 });
    let requested = 0;
    server.answer(({ url }, response) => {
      if (url === '/api/status') return sendJson(response, { success: false, message: 'no status here' });
      requested += 1;
      if (requested === 1) return sendJson(response, { success: false, message: 'changed', code: 'revision_conflict', data: theirs });
      return sendJson(response, { success: true, message: '', data: theirs });
    });
    await queueEdit({ optionKey: 'notification_email', base: { value: '', revision: 3 }, mine: 'ops@example.org' });
    expect(outboxEntries()).toEqual([]);
    expect(edits().map(({ body }) => body)).toEqual([
      { notification_email: 'ops@example.org', revision: 3 },
      { notification_email: 'ops@example.org', revision: 8 },
    ]);
  });

  test('what an account does not say is the default', () => {
    const user = buildConsoleUser({ setting: '' });
    expect(ownSettingKeys.map((key) => ownSettingState(user, key).value)).toEqual(['', '', '', 'email', 'false', 'false']);
    const set = buildConsoleUser({ setting: JSON.stringify({ quota_warning_threshold: 5, notify_type: 'webhook' }) });
    expect(ownSettingState(set, 'quota_warning_threshold').value).toBe('5');
    expect(ownSettingState(set, 'notify_type').value).toBe('webhook');
    expect(ownSettingBody({ quota_warning_threshold: '' })).toEqual({ quota_warning_threshold: 0 });
  });
});
