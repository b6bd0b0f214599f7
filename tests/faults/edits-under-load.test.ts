// Users and tokens are edited in every way while their calls run: edits of quota add up to the unit, and an edit of
// anything else moves no money, however old the view is that it was based on.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { balanceOf } from '#server/money/account.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const startQuota = 500_000_000;
const tokenQuota = 50_000_000;

interface Load {
  answered(): number;
  /** Ends when all calls have. */
  stop(): Promise<void>;
}

/** Callers that always have a call under way; every call must succeed. */
function startLoad(scene: RelayScene, callers: number): Load {
  let isRunning = true;
  let answered = 0;
  const call = async (caller: number) => {
    for (let turn = caller; isRunning; turn += 1) {
      const response = await scene.chat({ stream: turn % 2 === 0, max_tokens: 20 });
      const text = await response.text();
      if (response.status !== 200 || text.includes('"error"')) throw new Error(`A call failed: ${response.status} ${text}`);
      answered += 1;
    }
  };
  const calls = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  // A failure is reported by `stop`.
  calls.catch(() => {});
  return {
    answered: () => answered,
    async stop() {
      isRunning = false;
      await calls;
    },
  };
}

async function administrators(scene: RelayScene, count: number): Promise<TestClient[]> {
  return Promise.all(Array.from({ length: count }, async () => scene.app.as(await scene.app.createUser({ role: 10 }))));
}

async function charged(scene: RelayScene): Promise<{ user: number; token: number }> {
  const rows = await scene.app.context.db.collection('logs').find({ type: 2 });
  return { user: rows.reduce((sum, row) => sum + row.quota, 0), token: rows.reduce((sum, row) => sum + (row.token_quota ?? 0), 0) };
}

async function balances(scene: RelayScene): Promise<{ user: number; token: number }> {
  const { db } = scene.app.context;
  const [user, token] = [await db.collection('users').get(scene.user.id), await db.collection('tokens').get(scene.token.id)];
  if (user === null || token === null) throw new Error('The accounts are gone');
  return { user: balanceOf(user), token: balanceOf(token) };
}

describe.each(engines)('edits while calls run on $kind', (engine) => {
  test('40 parallel edits of +1000 by several administrators add up', async () => {
    await using scene = await createScene(engine, { quota: startQuota, tokenQuota });
    const admins = await administrators(scene, 4);
    const load = startLoad(scene, 6);
    await until(() => load.answered() > 10);
    const edits = Array.from({ length: 40 }, (_, index) =>
      admins[index % admins.length]?.put('/api/user/', { id: scene.user.id, quota_change: 1000 }),
    );
    const answers = await Promise.all(edits);
    await load.stop();
    // MongoDB on a busy machine may not answer in time; such an edit is refused, and counts once or not at all.
    const unknown = answers.filter((answer) => answer?.code === 'database_unavailable').length;
    expect(answers.filter((answer) => answer?.success === true)).toHaveLength(40 - unknown);
    const spent = await charged(scene);
    const left = await balances(scene);
    const edited = left.user + spent.user - startQuota;
    expect([edited % 1000, edited >= (40 - unknown) * 1000, edited <= 40_000]).toEqual([0, true, true]);
    expect(left.token).toBe(tokenQuota - spent.token);
    await scene.checkBooks();
  });

  test('no other edit moves a unit: names, whole records sent back, a limit taken off and put on', async () => {
    await using scene = await createScene(engine, { quota: startQuota, tokenQuota, channels: [{ group: 'default,vip' }] });
    // Long and short calls: some begin under one limit and end under the other.
    scene.upstream.behave({ text: 'one two three four five six', chunkDelay: 3 });
    const [admin, secondAdmin] = await administrators(scene, 2);
    const owner = await scene.app.as(scene.user);
    if (admin === undefined || secondAdmin === undefined) throw new Error('There are no administrators');
    const load = startLoad(scene, 6);
    await until(() => load.answered() > 5);
    let sentBack = 0;
    const end = performance.now() + 1_500;
    const sendBack = async (client: TestClient, path: string, list: string, change: (turn: number) => object) => {
      for (let turn = 0; performance.now() < end || sentBack <= 20; turn += 1) {
        const { data } = await client.get(path);
        await sleep(10);
        // Others edit meanwhile; only a view that is current may be written, old as its figures may be.
        const answer = await client.put(list, { ...data, ...change(turn) });
        if (answer.success) sentBack += 1;
        else expect(answer.code).toBe('revision_conflict');
      }
    };
    const { id } = scene.user;
    await Promise.all([
      sendBack(admin, `/api/user/${id}`, '/api/user/', (turn) => ({ display_name: `name ${turn}` })),
      sendBack(secondAdmin, `/api/user/${id}`, '/api/user/', (turn) => ({ group: turn % 2 === 0 ? 'vip' : 'default' })),
      sendBack(owner, `/api/token/${scene.token.id}`, '/api/token/', (turn) => ({ name: `key ${turn}` })),
      sendBack(owner, `/api/token/${scene.token.id}`, '/api/token/', (turn) => ({ unlimited_quota: turn % 2 === 0 })),
    ]);
    expect(sentBack).toBeGreaterThan(20);
    // Each kind of limit for long enough that calls begin and end under it.
    for (const isUnlimited of [true, false]) {
      const answer = await owner.put('/api/token/', { id: scene.token.id, unlimited_quota: isUnlimited });
      expect(answer).toMatchObject({ success: true });
      const before = load.answered();
      await until(() => load.answered() > before + 20);
    }
    await load.stop();
    const spent = await charged(scene);
    expect(spent.token).toBeLessThan(spent.user);
    expect(await balances(scene)).toEqual({ user: startQuota - spent.user, token: tokenQuota - spent.token });
    expect(await scene.app.context.db.collection('ledger').count({ kind: { ne: 'test' } })).toBe(0);
    await scene.checkBooks();
  });

  test('negative, fractional and absurd amounts are refused wherever an amount is taken', async () => {
    await using scene = await createScene(engine, { quota: 1_000, tokenQuota: 1_000 });
    const [admin] = await administrators(scene, 1);
    const owner = await scene.app.as(scene.user);
    if (admin === undefined) throw new Error('There is no administrator');
    const { id } = scene.user;
    const wrong: unknown[] = [-1, -1e15, 0.5, 1e16, Number.MAX_SAFE_INTEGER + 1, '5', true, [], {}, { $inc: 1 }];
    for (const amount of wrong) {
      const answers = [
        await admin.put('/api/user/', { id, quota: amount }),
        await owner.put('/api/token/', { id: scene.token.id, remain_quota: amount }),
        await owner.post('/api/token/', { name: 'new', remain_quota: amount }),
        await owner.post('/api/token/', { name: 'new', count: amount === true ? false : amount, remain_quota: -1 }),
        await admin.put('/api/user/', { id, quota: 5, used_quota: amount }),
      ];
      for (const [index, answer] of answers.entries()) expect([index, amount, answer.success]).toEqual([index, amount, false]);
      if (amount !== -1) expect([amount, (await admin.put('/api/user/', { id, quota_change: amount })).success]).toEqual([amount, false]);
    }
    // A change may be negative, but takes no more than there is.
    expect(await admin.put('/api/user/', { id, quota_change: -1_001 })).toMatchObject({ success: false, code: 'balance_too_small' });
    expect(await balances(scene)).toEqual({ user: 1_000, token: 1_000 });
    expect(await scene.app.context.db.collection('tokens').count({})).toBe(1);
    expect(await admin.put('/api/user/', { id, quota_change: -1_000 })).toMatchObject({ success: true });
    expect((await balances(scene)).user).toBe(0);
    await scene.checkBooks();
  });
});
