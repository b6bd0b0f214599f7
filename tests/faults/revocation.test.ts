// What is taken away through one server process is gone in the other within a second: keys, users, channels.
import { describe, expect, test } from 'vitest';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createSession, createToken } from '#tests/support/build-token.ts';
import { buildUser, type UserFields } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createClient, type TestClient, type TestResponse } from '#tests/support/http-client.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { startServer } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

const model = 'gpt-4o-mini';
/** Milliseconds that a revocation may take to reach the other process. */
const limit = 1_000;
/** A busy machine delays everything: the fastest of so many tries shows what the servers need. */
const mostTries = 5;

interface Pair {
  upstream: FakeUpstream;
  /** Calls the second process; resolves with the status. */
  call(key: string): Promise<number>;
  /** Of the owner, for one try each. */
  keys: { key: string; id: number }[];
  /** Of users of their own, for one try each. */
  banned: { key: string; userId: number }[];
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
    const addUser = async (fields: UserFields = {}) => {
      const user = await buildUser(context, fields);
      await db.collection('users').insert(user);
      await ledger.change({ account: 'user', id: user.id, amount: 1e9, kind: 'test', ref: `test:${user.id}`, actorId: 0 });
      return user;
    };
    const [owner, admin] = [await addUser(), await addUser({ role: 100 })];
    const keys: Pair['keys'] = [];
    // One still works.
    for (let left = 3 * mostTries + 1; left > 0; left -= 1) {
      const { token, key } = await createToken(context, owner.id);
      keys.push({ key, id: token.id });
    }
    const banned: Pair['banned'] = [];
    for (let left = mostTries; left > 0; left -= 1) {
      const { id: userId } = await addUser();
      banned.push({ userId, key: (await createToken(context, userId)).key });
    }
    const channelIds: number[] = [];
    for (const key of ['first', 'second']) {
      const id = await db.nextId('channels');
      channelIds.push(id);
      await db.collection('channels').insert(buildChannel({ id, key, name: key, models: model, base_url: upstream.url }, context.secrets));
    }
    return {
      keys,
      banned,
      ids: { owner: owner.id, admin: admin.id },
      channelIds,
      cookies: { owner: await createSession(context, owner), admin: await createSession(context, admin) },
    };
  });
  const [here, there] = await Promise.all([startServer({ DATABASE_URL: scratch.url }), startServer({ DATABASE_URL: scratch.url })]);
  const signIn = (cookie: string, id: number) => {
    const client = createClient(here.origin);
    client.setCookie(cookie);
    client.setUser(id);
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
      owner: signIn(seeded.cookies.owner, seeded.ids.owner),
      admin: signIn(seeded.cookies.admin, seeded.ids.admin),
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
  }
}

/** Tries it until it is fast enough. @returns what the last try took, and the status after it */
async function tried<Try>(tries: readonly Try[], once: (one: Try) => ReturnType<typeof lastSuccessAfter>): Promise<[late: string, number]> {
  for (const [index, one] of tries.entries()) {
    const { late, status } = await once(one);
    if (late <= limit || index === tries.length - 1) return [late <= limit ? 'in time' : `${late} ms`, status];
  }
  throw new Error('Nothing was tried');
}

describe.each(engines)('two server processes on one database on $kind', ({ kind }) => {
  test('a revoked key is refused and a disabled channel unused in both within a second', async () => {
    await withPair(kind === 'mongodb' ? testMongoUrl : undefined, async ({ upstream, call, keys, banned, channelIds, owner, admin }) => {
      for (const { key } of [...keys, ...banned]) expect(await call(key)).toBe(200);
      const next = () => keys.splice(0, mostTries);
      expect({
        disabled: await tried(next(), ({ key, id }) =>
          lastSuccessAfter(owner.put('/api/token/?status_only=1', { id, status: 2 }), () => call(key)),
        ),
        deleted: await tried(next(), ({ key, id }) => lastSuccessAfter(owner.delete(`/api/token/${id}`), () => call(key))),
        renewed: await tried(next(), ({ key, id }) =>
          lastSuccessAfter(owner.post(`/api/token/${id}/renew`, { old_key_seconds: 0, revision: 1 }), () => call(key)),
        ),
        banned: await tried(banned, ({ key, userId }) =>
          lastSuccessAfter(admin.post('/api/user/manage', { id: userId, action: 'disable' }), () => call(key)),
        ),
      }).toEqual({ disabled: ['in time', 401], deleted: ['in time', 401], renewed: ['in time', 401], banned: ['in time', 403] });

      const [{ key: working } = { key: '' }] = keys;
      const usedSince = (moment: number, key: string) =>
        upstream.requests.filter((request) => request.key === key && request.receivedAt > moment);
      const useBoth = async () => {
        const since = performance.now();
        await until(
          async () => (await call(working)) === 200 && usedSince(since, 'first').length > 0 && usedSince(since, 'second').length > 0,
        );
      };
      const setStatus = async (status: number) =>
        expect(await admin.put('/api/channel/', { id: channelIds[0], status })).toMatchObject({ success: true });
      const disable = async () => {
        await useBoth();
        await setStatus(2);
        const disabledAt = performance.now();
        // Calls in turn: the first channel is unused when five in a row have gone to the second.
        await until(async () => {
          expect(await call(working)).toBe(200);
          return (
            usedSince(disabledAt, 'second').length >= 5 && lastUse('first') < (usedSince(disabledAt, 'second').at(-5)?.receivedAt ?? 0)
          );
        });
        const late = lastUse('first') - disabledAt;
        await setStatus(1);
        return { late, status: 200 };
      };
      const lastUse = (key: string) => upstream.requests.findLast((request) => request.key === key)?.receivedAt ?? 0;
      expect(await tried(Array.from({ length: mostTries }), disable)).toEqual(['in time', 200]);
      // And back again.
      await useBoth();
    });
  });
});
