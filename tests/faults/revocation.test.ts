// What is taken away through one server process is gone in the other within a second: keys, users, channels.
import { describe, expect, test } from 'vitest';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createSession, createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines, testMongoUrl } from '#tests/support/engines.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { FakeUpstream } from '#tests/support/fake-upstream.ts';
import { createClient } from '#tests/support/http-client.ts';
import type { TestResponse, TestClient } from '#tests/support/http-client.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { startServer } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

const model = 'gpt-4o-mini';
/** Milliseconds that a revocation may take to reach the other process. */
const limit = 1_000;

interface Pair {
  upstream: FakeUpstream;
  /** Calls the second process; resolves with the status. */
  call(key: string): Promise<number>;
  keys: string[];
  tokenIds: number[];
  userIds: number[];
  channelIds: number[];
  /** Signed in at the first process. */
  owner: TestClient;
  admin: TestClient;
}

/** Two servers on one database; everything is edited through the first and used through the second. */
async function withPair(mongo: string | undefined, use: (pair: Pair) => Promise<void>): Promise<void> {
  const upstream = await startFakeUpstream();
  const scratch = await createScratch(mongo);
  const seeded = await scratch.withContext(async (context) => {
    const { db, ledger } = context;
    const users = [await buildUser(context), await buildUser(context), await buildUser(context, { role: 100 })];
    for (const user of users) {
      await db.collection('users').insert(user);
      await ledger.change({ account: 'user', id: user.id, amount: 1e9, kind: 'test', ref: `test:${user.id}`, actorId: 0 });
    }
    const [owner, banned, admin] = users;
    if (owner === undefined || banned === undefined || admin === undefined) throw new Error('There are no users');
    const tokens = [
      await createToken(context, owner.id),
      await createToken(context, owner.id),
      await createToken(context, owner.id),
      await createToken(context, banned.id),
      await createToken(context, owner.id),
    ];
    const channelIds: number[] = [];
    for (const key of ['first', 'second']) {
      const id = await db.nextId('channels');
      channelIds.push(id);
      await db.collection('channels').insert(buildChannel({ id, key, name: key, models: model, base_url: upstream.url }, context.secrets));
    }
    return {
      keys: tokens.map(({ key }) => key),
      tokenIds: tokens.map(({ token }) => token.id),
      userIds: users.map(({ id }) => id),
      channelIds,
      cookies: { owner: await createSession(context, owner), admin: await createSession(context, admin) },
    };
  });
  const [here, there] = await Promise.all([startServer({ DATABASE_URL: scratch.url }), startServer({ DATABASE_URL: scratch.url })]);
  const signIn = (cookie: string, id: number | undefined) => {
    const client = createClient(here.origin);
    client.setCookie(cookie);
    client.setUser(id ?? 0);
    return client;
  };
  let calls = 0;
  // Each begins a conversation of its own: those of one stay on one channel.
  const call: Pair['call'] = async (key) => {
    calls += 1;
    const response = await fetch(`${there.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: `Call ${calls}` }] }),
    });
    await response.text();
    return response.status;
  };
  try {
    await use({
      upstream,
      call,
      ...seeded,
      owner: signIn(seeded.cookies.owner, seeded.userIds[0]),
      admin: signIn(seeded.cookies.admin, seeded.userIds[2]),
    });
  } finally {
    expect(await Promise.all([here.kill('SIGTERM'), there.kill('SIGTERM')])).toEqual([0, 0]);
    await scratch.remove();
    await upstream.close();
  }
}

/** Milliseconds from the confirmation of the edit to the beginning of the last call that still succeeded. */
async function lastSuccessAfter(edit: Promise<TestResponse>, call: () => Promise<number>): Promise<{ late: number; status: number }> {
  expect(await edit).toMatchObject({ success: true });
  const confirmedAt = performance.now();
  let late = 0;
  for (;;) {
    const beganAt = performance.now();
    const status = await call();
    if (status !== 200) return { late, status };
    late = beganAt - confirmedAt;
    if (late > 10_000) throw new Error('The key is still accepted after ten seconds');
  }
}

describe.each(engines)('two server processes on one database on $kind', ({ kind }) => {
  test('a revoked key is refused and a disabled channel unused in both within a second', async () => {
    await withPair(
      kind === 'mongodb' ? testMongoUrl : undefined,
      async ({ upstream, call, keys, tokenIds, userIds, channelIds, owner, admin }) => {
        for (const key of keys) expect(await call(key)).toBe(200);
        const [disabled = '', deleted = '', working = '', banned = '', renewed = ''] = keys;
        const results = {
          'a disabled key': await lastSuccessAfter(owner.put('/api/token/?status_only=1', { id: tokenIds[0], status: 2 }), () =>
            call(disabled),
          ),
          'a deleted key': await lastSuccessAfter(owner.delete(`/api/token/${tokenIds[1]}`), () => call(deleted)),
          'the old secret of a renewed key': await lastSuccessAfter(
            owner.post(`/api/token/${tokenIds[4]}/renew`, { old_key_seconds: 0, revision: 1 }),
            () => call(renewed),
          ),
          "a banned user's key": await lastSuccessAfter(admin.post('/api/user/manage', { id: userIds[1], action: 'disable' }), () =>
            call(banned),
          ),
        };
        expect(Object.entries(results).filter(([, { late }]) => late > limit)).toEqual([]);
        expect(Object.values(results).map(({ status }) => status)).toEqual([401, 401, 401, 403]);

        const usedSince = (moment: number, key: string) =>
          upstream.requests.filter((request) => request.key === key && request.receivedAt > moment);
        const before = performance.now();
        await until(
          async () => (await call(working)) === 200 && usedSince(before, 'first').length > 0 && usedSince(before, 'second').length > 0,
        );
        expect(await admin.put('/api/channel/', { id: channelIds[0], status: 2 })).toMatchObject({ success: true });
        const disabledAt = performance.now();
        while (performance.now() < disabledAt + limit + 500) expect(await call(working)).toBe(200);
        expect(usedSince(disabledAt + limit, 'first')).toEqual([]);
        expect(usedSince(disabledAt + limit, 'second').length).toBeGreaterThan(5);
        // And back again.
        expect(await admin.put('/api/channel/', { id: channelIds[0], status: 1 })).toMatchObject({ success: true });
        const enabledAt = performance.now();
        await until(async () => (await call(working)) === 200 && usedSince(enabledAt, 'first').length > 0);
      },
    );
  });
});
