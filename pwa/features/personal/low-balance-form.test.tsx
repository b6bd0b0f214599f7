import 'fake-indexeddb/auto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { discardAll, outboxEntries, startOutbox } from '#pwa/offline/outbox.ts';
import { watchConnection } from '#pwa/offline/online-status.tsx';
import type { User } from '#shared/user.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { LowBalanceForm } from './low-balance-form.tsx';
import { SaveBar } from './save-bar.tsx';
import { useOwnForm } from './use-own-form.ts';

let server: FixtureServer;
let screen: DrawnScreen;
let user: User;
/** What the server says instead of saving. */
let refusal: object | undefined;
let stop: (() => void)[];

const marked = (mark: number, revision: number): User => ({
  ...user,
  setting: JSON.stringify({ quota_warning_threshold: mark }),
  revision,
});

beforeAll(async () => {
  await startScreenTexts('personal', 'editing');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  server.requested.length = 0;
  refusal = undefined;
  user = buildConsoleUser();
  server.answer(({ url, body }, response) => {
    if (!url.startsWith('/api/user/setting')) return sendJson(response, { success: false, message: 'nothing here' });
    if (refusal !== undefined) return sendJson(response, refusal);
    const { quota_warning_threshold: mark, revision } = body as { quota_warning_threshold: number; revision: number };
    return sendJson(response, { success: true, message: '', data: marked(mark, revision + 1) });
  });
  stop = [watchConnection(), startOutbox({ userId: () => user.id, onSent: () => {} })];
  await shows(() => expect(outboxEntries()).toEqual([]));
});
afterEach(async () => {
  screen.leave();
  await discardAll(user.id);
  for (const end of stop) end();
});

const marks = () =>
  server.requested.filter(({ url }) => url.startsWith('/api/user/setting')).map(({ body }) => body as Record<string, unknown>);
function Alert() {
  const form = useOwnForm(user);
  return (
    <>
      <LowBalanceForm user={user} form={form} />
      <SaveBar form={form} />
    </>
  );
}
function open(): void {
  screen = drawScreen(<Alert />);
}

describe('low-balance-form', () => {
  test('saves the amount with the revision that it was read with', async () => {
    open();
    screen.press('$1.00');
    screen.press('Save');
    await shows(() => expect(marks()).toMatchObject([{ quota_warning_threshold: 500_000, revision: 3 }]));
    await shows(() => expect(screen.text()).toContain('Changes saved'));
    expect(outboxEntries()).toEqual([]);
  });

  test('wants an amount in place of another, and saves none that is there already', async () => {
    user = marked(500_000, 4);
    open();
    screen.type('Warn me below', '');
    screen.press('Save');
    await shows(() => expect(screen.problem('Warn me below')).toBe('Enter an amount'));
    screen.press('$1.00');
    expect(() => screen.button('Save')).toThrow();
    expect(marks()).toEqual([]);
  });

  test('a refusal of the amount stands at the field', async () => {
    open();
    refusal = { success: false, message: 'too much', code: 'invalid_field', field: 'quota_warning_threshold' };
    screen.press('$1.00');
    screen.press('Save');
    await shows(() => expect(screen.problem('Warn me below')).toBe('too much'));
    expect(outboxEntries()).toEqual([]);
  });

  test('waits in the outbox while the server is silent, and is told to wait', async () => {
    open();
    await server.stop();
    try {
      screen.press('$1.00');
      screen.press('Save');
      await shows(() => expect(screen.text()).toContain('$1.00 waiting to be sent'));
      expect(outboxEntries()).toMatchObject([{ optionKey: 'quota_warning_threshold', mine: '500000', base: { revision: 3 } }]);
    } finally {
      await server.start();
    }
  });

  test('what others changed meanwhile is kept apart in the outbox, and nothing is overwritten', async () => {
    open();
    refusal = { success: false, message: 'changed', code: 'revision_conflict', data: marked(2_500_000, 9) };
    screen.press('$1.00');
    screen.press('Save');
    await shows(() => expect(outboxEntries()).toMatchObject([{ state: 'conflict', mine: '500000', theirs: { revision: 9 } }]));
    expect(screen.text()).toContain('Changed elsewhere too');
    expect(screen.text()).not.toContain('waiting to be sent');
  });
});
