import 'fake-indexeddb/auto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Option } from '#shared/options.ts';
import { watchConnection } from '#pwa/offline/online-status.tsx';
import { discardAll, outboxEntries, startOutbox } from '#pwa/offline/outbox.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { type SettingEdits, useSettingEdits } from './use-setting-edits.ts';

const retry: Option = { key: 'RetryTimes', value: '3', revision: 4 };
const footer: Option = { key: 'Footer', value: '', revision: 1 };
const secret: Option = { key: 'SMTPToken', value: '', revision: 2 };

let server: FixtureServer;
let screen: DrawnScreen;
let edits: SettingEdits;
let options: readonly Option[];
let refusal: object | undefined;
let stop: (() => void)[];

beforeAll(async () => {
  await startScreenTexts('settings', 'prices');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  server.requested.length = 0;
  refusal = undefined;
  options = [retry, footer, secret];
  server.answer(({ url, body }, response) => {
    if (!url.startsWith('/api/option')) return sendJson(response, { success: false, message: 'nothing here' });
    if (refusal !== undefined) return sendJson(response, refusal);
    const saved = optionsOf(body).map(({ key, value, revision }) => ({ key, value, revision: revision + 1 }));
    return sendJson(response, { success: true, message: '', data: url.endsWith('batch') ? saved : saved[0] });
  });
  stop = [watchConnection(), startOutbox({ userId: () => 1, onSent: () => {} })];
  await shows(() => expect(outboxEntries()).toEqual([]));
  function Edits() {
    edits = useSettingEdits(options);
    return null;
  }
  screen = drawScreen(<Edits />);
});
afterEach(async () => {
  screen.leave();
  await discardAll(1);
  for (const end of stop) end();
});

function optionsOf(body: unknown): { key: string; value: string; revision: number }[] {
  if (typeof body !== 'object' || body === null) return [];
  return 'options' in body && Array.isArray(body.options) ? body.options : [body as { key: string; value: string; revision: number }];
}
const sent = () => server.requested.filter(({ url }) => url.startsWith('/api/option')).map(({ body }) => optionsOf(body));
const drafted = () => Object.fromEntries([...edits.drafts].map(([key, { text }]) => [key, text]));

async function type(key: 'RetryTimes' | 'Footer' | 'SMTPToken', text: string): Promise<void> {
  edits.type(key, text);
  await shows(() => expect(drafted()).toHaveProperty(key, text));
}

describe('setting-edits', () => {
  test('all that was typed goes out in one call, each with the revision that it began from', async () => {
    await type('RetryTimes', '5');
    await type('Footer', '© Tide');
    await edits.save();
    expect(sent()).toEqual([
      [
        { key: 'RetryTimes', value: '5', revision: 4 },
        { key: 'Footer', value: '© Tide', revision: 1 },
      ],
    ]);
    await shows(() => expect(edits.outcome).toEqual({ kind: 'saved', count: 2 }));
    expect(drafted()).toEqual({});
  });

  test.each([
    ['another value', '57'],
    ['the value of before', '3'],
  ])('%s that is typed while a save is on its way is an edit of what was saved', async (_which, text) => {
    let release: (() => void) | undefined;
    server.answer(({ url, body }, response) => {
      if (!url.startsWith('/api/option')) return sendJson(response, { success: false, message: 'nothing here' });
      const saved = optionsOf(body).map(({ key, value, revision }) => ({ key, value, revision: revision + 1 }));
      release = () => sendJson(response, { success: true, message: '', data: saved });
    });
    await type('RetryTimes', '5');
    await type('Footer', 'x');
    const saving = edits.save();
    await shows(() => expect(release).toBeDefined());
    await type('RetryTimes', text);
    release?.();
    await saving;
    await shows(() => expect(edits.outcome).toEqual({ kind: 'saved', count: 2 }));
    expect([...edits.drafts]).toEqual([['RetryTimes', { text, base: { value: '5', revision: 5 } }]]);
  });

  test('back at the value that was there, nothing is left to save', async () => {
    await type('RetryTimes', '5');
    edits.type('RetryTimes', '3');
    await shows(() => expect(drafted()).toEqual({}));
    await edits.save();
    await shows(() => expect(edits.outcome).toEqual({ kind: 'nothing', count: 0 }));
    expect(sent()).toEqual([]);
  });

  test('a value that is none stops the save, and is forgiven with the next letter', async () => {
    await type('RetryTimes', '-1');
    await type('Footer', 'x');
    await edits.save();
    await shows(() => expect([...edits.problems.keys()]).toEqual(['RetryTimes']));
    expect(sent()).toEqual([]);
    await type('RetryTimes', '1');
    await shows(() => expect(edits.problems.size).toBe(0));
    await edits.save();
    expect(sent()).toHaveLength(1);
  });

  test('a refusal is told, and everything stays typed', async () => {
    refusal = { success: false, message: '配置项 Footer 过长', code: 'option_too_long', field: 'Footer' };
    await type('RetryTimes', '5');
    await type('Footer', 'x');
    await edits.save();
    await shows(() => expect(screen.text()).toContain('配置项 Footer 过长'));
    expect(drafted()).toEqual({ RetryTimes: '5', Footer: 'x' });
    expect(edits.outcome).toBeUndefined();
  });

  test('what somebody else saved meanwhile is shown, and nothing goes out before it is decided', async () => {
    await type('RetryTimes', '5');
    options = [{ ...retry, value: '9', revision: 7, updated_by: 'keeper', updated_at: 1_770_000_000 }, footer, secret];
    await type('Footer', 'x');
    await shows(() => expect([...edits.theirs]).toMatchObject([['RetryTimes', { value: '9', revision: 7, changedBy: 'keeper' }]]));
    await edits.save();
    expect(sent()).toEqual([]);
    edits.resolve('RetryTimes', '5', { value: '9', revision: 7 });
    await shows(() => expect(edits.theirs.size).toBe(0));
    await edits.save();
    expect(sent()[0]).toContainEqual({ key: 'RetryTimes', value: '5', revision: 7 });
  });

  test('another revision with the same value is no conflict: the edit goes out on the newer one', async () => {
    await type('RetryTimes', '5');
    options = [{ ...retry, revision: 9 }, footer, secret];
    await type('Footer', 'x');
    await edits.save();
    expect(sent()[0]).toContainEqual({ key: 'RetryTimes', value: '5', revision: 9 });
  });

  test('without a server edits wait in the outbox and go out by themselves; secrets stay in the form', async () => {
    await server.stop();
    await type('RetryTimes', '5');
    await type('SMTPToken', 'hidden');
    await edits.save();
    await shows(() => expect(edits.outcome).toEqual({ kind: 'secrets', count: 1 }));
    expect(outboxEntries()).toMatchObject([{ optionKey: 'RetryTimes', mine: '5', base: { value: '3', revision: 4 } }]);
    expect(drafted()).toEqual({ SMTPToken: 'hidden' });
    expect(JSON.stringify(outboxEntries())).not.toContain('hidden');
    await server.start();
    window.dispatchEvent(new Event('online'));
    await shows(() => expect(outboxEntries()).toEqual([]));
    expect(sent().at(-1)).toEqual([{ key: 'RetryTimes', value: '5', revision: 4 }]);
  });

  test('a setting whose edit waits is not sent a second way', async () => {
    await server.stop();
    await type('RetryTimes', '5');
    await edits.save();
    await shows(() => expect(outboxEntries()).toHaveLength(1));
    await type('RetryTimes', '6');
    await edits.save();
    await shows(() => expect(outboxEntries()).toMatchObject([{ mine: '6', base: { value: '3', revision: 4 } }]));
    await server.start();
    window.dispatchEvent(new Event('online'));
    await shows(() => expect(outboxEntries()).toEqual([]));
    expect(sent().flat()).toEqual([{ key: 'RetryTimes', value: '6', revision: 4 }]);
  });

  test('one draft is dropped, or all of them', async () => {
    await type('RetryTimes', '5');
    await type('Footer', 'x');
    edits.drop('Footer');
    await shows(() => expect(drafted()).toEqual({ RetryTimes: '5' }));
    edits.dropAll();
    await shows(() => expect(drafted()).toEqual({}));
  });

  test('a secret is a draft whatever is typed: nobody here knows what it is', async () => {
    await type('SMTPToken', '');
    await edits.save();
    expect(sent()).toEqual([[{ key: 'SMTPToken', value: '', revision: 2 }]]);
  });
});
