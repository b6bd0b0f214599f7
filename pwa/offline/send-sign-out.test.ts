import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { User } from '#shared/user.ts';
import { dueSignOut, markSignOut } from '#pwa/api/due-sign-out.ts';
import { storeUser } from '#pwa/api/stored-user.ts';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { probe, watchConnection } from './online-status.tsx';
import { retrySignOut, sendSignOut } from './send-sign-out.ts';
import { shows } from '#tests/support/shows.ts';

const texts = 'username display_name email github_id oidc_id wechat_id telegram_id linux_do_id group aff_code setting';
const numbers = 'quota used_quota request_count full_mark aff_count aff_quota aff_history_quota inviter_id created_time';
const mei = User.parse({
  ...Object.fromEntries(`${texts} password`.split(' ').map((field) => [field, ''])),
  ...Object.fromEntries(numbers.split(' ').map((field) => [field, 0])),
  id: 4,
  role: 1,
  status: 1,
  revision: 1,
  DeletedAt: null,
});

let server: FixtureServer;
let stops: (() => void)[];
const signOuts = () => server.requested.filter(({ url }) => url.startsWith('/api/user/logout'));

beforeAll(async () => {
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  localStorage.clear();
  server.requested.length = 0;
  server.answer((_asked, response) => sendJson(response, { success: true, message: '' }));
  stops = [watchConnection(), retrySignOut()];
});
afterEach(() => {
  for (const stop of stops) stop();
  vi.restoreAllMocks();
});

function setOffline(isOffline: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(!isOffline);
  dispatchEvent(new Event(isOffline ? 'offline' : 'online'));
}

describe('a sign-out', () => {
  test('is told with the time that has passed since, once', async () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
    markSignOut(4);
    clock.mockReturnValue(1_800_000_090_500);
    expect(await Promise.all([sendSignOut(), sendSignOut()])).toEqual([true, true]);
    expect(signOuts().map(({ url }) => url)).toEqual(['/api/user/logout?ago_ms=90500']);
    expect(dueSignOut()).toBeNull();
    expect(await sendSignOut()).toBe(true);
    expect(signOuts()).toHaveLength(1);
  });

  test('without a network is told when there is one again', async () => {
    await server.stop();
    setOffline(true);
    markSignOut(4);
    expect(await sendSignOut()).toBe(false);
    expect(dueSignOut()).toMatchObject({ userId: 4 });
    await server.start();
    setOffline(false);
    await shows(() => expect(dueSignOut()).toBeNull());
    expect(signOuts()).toHaveLength(1);
  });

  test('that the server could not take is told again when it answers', async () => {
    server.answer((_asked, response) => sendJson(response, { success: false, message: 'away' }, 503));
    markSignOut(4);
    expect(await sendSignOut()).toBe(false);
    expect(dueSignOut()).not.toBeNull();
    server.answer((_asked, response) => sendJson(response, { success: true, message: '', data: {} }));
    await probe();
    await shows(() => expect(dueSignOut()).toBeNull());
  });

  test('is not told when the answer that was heard is that of a sign-in', async () => {
    markSignOut(4);
    await probe();
    // The outcome is reported before the screen has read the answer.
    storeUser(mei);
    await new Promise((resolve) => {
      setTimeout(resolve, 800);
    });
    expect(signOuts()).toEqual([]);
  });

  test('is replaced by the next sign-in', async () => {
    markSignOut(4);
    // What the server answers to a sign-in; it has ended the session before.
    storeUser(mei);
    expect(dueSignOut()).toBeNull();
    expect(await sendSignOut()).toBe(true);
    expect(signOuts()).toEqual([]);
  });
});
