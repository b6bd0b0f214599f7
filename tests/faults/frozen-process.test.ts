// A process stops at any point of its bookkeeping: the books balance as it left them, another process settles them, and
// when it was not dead after all it goes on under a new identity: nothing is charged twice, nothing is lost.
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createContext } from '#server/create-context.ts';
import type { RunningContext } from '#server/create-context.ts';
import type { TokenRecord, UserRecord } from '#server/db/collections.ts';
import type { Database } from '#server/db/database.ts';
import { readEnv } from '#server/env.ts';
import { tokenBalance, userBalance } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import type { ChargeRow } from '#server/money/settlement.ts';
import { finishStrayEntries, removeStrayRows, returnStrayLeases } from '#server/money/strays.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { engines } from '#tests/support/engines.ts';
import type { Engine, TestDatabase } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';
import type { FreezableDatabase } from '#tests/support/freezable-database.ts';
import { until } from '#tests/support/until.ts';

const log = pino({ level: 'silent' });
const startQuota = 10_000;
const tokenQuota = 5_000;

function open(db: Database): Promise<RunningContext> {
  return createContext({ env: readEnv({ LOG_LEVEL: 'silent' }), db, masterKey: 'a master key for this test', log });
}

/** One database for all the points at which a process stops, and a process that settles and tells how things are. */
interface Place {
  database: TestDatabase;
  other: RunningContext;
}

interface Scene extends Place {
  /** The process that stops. */
  db: FreezableDatabase;
  context: RunningContext;
  user: UserRecord;
  limited: TokenRecord;
  unlimited: TokenRecord;
}

async function onPlace(engine: Engine, use: (place: Place) => Promise<void>): Promise<void> {
  const database = await engine.create();
  const other = await open(await database.open());
  try {
    await use({ database, other });
  } finally {
    await other.close();
    await database.remove();
  }
}

async function arrange(place: Place): Promise<Scene> {
  const { database, other } = place;
  const db = makeFreezable(await database.open());
  const context = await open(db);
  const user = await buildUser(other);
  await other.db.collection('users').insert(user);
  await other.ledger.change({ account: 'user', id: user.id, amount: startQuota, kind: 'test', ref: `start ${user.id}`, actorId: 0 });
  const { token: limited } = await createToken(other, user.id, { quota: tokenQuota });
  const { token: unlimited } = await createToken(other, user.id);
  return { ...place, db, context, user, limited, unlimited };
}

/** What became of each piece of the work, by name; absent: it never ended. */
type Outcomes = Map<string, 'done' | 'failed'>;

/** Everything that moves money, some of it at the same time. */
async function work({ context, user, limited, unlimited }: Scene, outcomes: Outcomes): Promise<void> {
  const { ledger } = context;
  const note = (name: string, what: Promise<unknown>) =>
    what.then(
      () => void outcomes.set(name, 'done'),
      () => void outcomes.set(name, 'failed'),
    );
  const row = (name: string, tokenId: number, quota: number): ChargeRow => {
    const { id: _, ...fields } = buildLog({ id: 0, user_id: user.id, token_id: tokenId, quota, prompt_tokens: 1, request_id: name });
    return fields;
  };
  const call = async (
    name: string,
    token: TokenRecord,
    { amount, extension, quota }: { amount: number; extension: number; quota: number | null },
  ) => {
    const result = await ledger.reserve({ userId: user.id, token: { id: token.id, isLimited: token === limited }, amount });
    if (!('reservation' in result)) throw new Error('refused');
    if (extension > 0) await ledger.extend(result.reservation, extension);
    if (quota === null) ledger.release(result.reservation);
    else await ledger.settle(result.reservation, row(name, token.id, quota));
  };
  const change = (name: string, amount: number) =>
    ledger.change({ account: 'user', id: user.id, amount, kind: name, ref: `${name} ${user.id}`, actorId: 0 });
  await note('call 1', call('call 1', limited, { amount: 300, extension: 0, quota: 120 }));
  await note('credit', change('credit', 500));
  await Promise.all([
    note('call 2', call('call 2', limited, { amount: 100, extension: 200, quota: 250 })),
    note('call 3', call('call 3', unlimited, { amount: 100, extension: 0, quota: 30 })),
    note('call 4', call('call 4', limited, { amount: 50, extension: 0, quota: null })),
  ]);
  await note('debit', change('debit', -700));
  // More than was reserved.
  await note('call 5', call('call 5', limited, { amount: 10, extension: 0, quota: 40 }));
}

const charges: Record<string, number> = { 'call 1': 120, 'call 2': 250, 'call 3': 30, 'call 5': 40 };

/** Every book balances, and everything that was reported happened exactly once. */
async function check({ other, user, limited }: Scene, outcomes: Outcomes, where: string): Promise<void> {
  expect((await audit(other.db)).findings, where).toEqual([]);
  const rows = await other.db.collection('logs').find({ user_id: user.id });
  const named = Object.groupBy(rows, (row) => row.request_id ?? '');
  for (const [name, same = []] of Object.entries(named)) expect(same.length, `${where}: rows of ${name}`).toBe(1);
  const entries = await other.db.collection('ledger').find({ account: 'user', account_id: user.id, kind: { ne: 'test' } });
  for (const [name, outcome] of outcomes) {
    if (name in charges) expect(named[name] !== undefined, `${where}: ${name} was ${outcome}`).toBe(outcome === 'done');
    if (name === 'credit' || name === 'debit') {
      const state = entries.find((entry) => entry.kind === name)?.state;
      if (outcome === 'done') expect(state, `${where}: ${name}`).toBe('done');
      else expect(state, `${where}: ${name}`).not.toBe('done');
    }
  }
  const spent = rows.reduce((sum, row) => sum + row.quota, 0);
  const credited = entries.reduce((sum, entry) => sum + (entry.state === 'done' ? entry.amount : 0), startQuota);
  const [userNow, tokenNow] = [await other.db.collection('users').get(user.id), await other.db.collection('tokens').get(limited.id)];
  if (userNow === null || tokenNow === null) throw new Error('The accounts are gone');
  expect(userBalance(userNow), `${where}: the user's balance`).toBe(credited - spent);
  const fromToken = rows.reduce((sum, row) => sum + (row.token_quota ?? 0), 0);
  expect(tokenBalance(tokenNow), `${where}: the token's balance`).toBe(tokenQuota - fromToken);
}

/** Another process finds that this one has died. */
async function takeOver({ context, other }: Scene): Promise<void> {
  await other.db.collection('processes').patch({ id: context.ledger.processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
  await other.ledger.settleLeftovers();
}

/** How many writes the whole work takes when nothing stops it. */
async function countWrites(place: Place): Promise<number> {
  const scene = await arrange(place);
  const before = scene.db.writes;
  const outcomes: Outcomes = new Map();
  await work(scene, outcomes);
  expect([...outcomes.values()]).toEqual(Array.from({ length: 7 }, () => 'done'));
  await check(scene, outcomes, 'undisturbed');
  const count = scene.db.writes - before;
  await end(scene);
  expect(count).toBeGreaterThan(10);
  return count;
}

/** It goes on to the end, so that the next one finds nothing of it but what it left in the database. */
async function end({ context, db }: Scene, working?: Promise<void>): Promise<void> {
  db.thaw();
  await working;
  await context.close();
}

/** Runs the work until the process has stopped at that write; null when it was done before. */
async function runInto(scene: Scene, at: number, when: 'before' | 'after'): Promise<{ outcomes: Outcomes; working: Promise<void> } | null> {
  const outcomes: Outcomes = new Map();
  scene.db.freezeAt(at, when);
  const working = work(scene, outcomes);
  await Promise.race([working, scene.db.frozen]);
  return scene.db.isFrozen ? { outcomes, working } : null;
}

/** Lets a process stop at each of its writes in turn. */
async function atEachWrite(
  engine: Engine,
  when: 'before' | 'after',
  use: (scene: Scene, run: { outcomes: Outcomes; working: Promise<void> }, where: string) => Promise<void>,
): Promise<void> {
  await onPlace(engine, async (place) => {
    const writes = await countWrites(place);
    for (let at = 1; at <= writes; at += 1) {
      const scene = await arrange(place);
      const run = await runInto(scene, at, when);
      if (run !== null) await use(scene, run, `stopped ${when} write ${at}`);
      await end(scene, run?.working);
    }
  });
}

describe.each(engines)('a process that stops on $kind', (engine) => {
  describe.each(['before', 'after'] as const)('%s any of its writes', (when) => {
    test('for good: another one settles its books', async () => {
      await atEachWrite(engine, when, async (scene, { outcomes }, where) => {
        expect((await audit(scene.other.db)).findings, `${where}, not settled yet`).toEqual([]);
        await takeOver(scene);
        await check(scene, outcomes, where);
        const { leases = {}, applied = {} } = (await scene.other.db.collection('users').get(scene.user.id)) ?? {};
        const dead = scene.context.ledger.processId;
        expect({ leases: Object.keys(leases).filter((key) => key.endsWith(dead)), applied: applied[dead] }, where).toEqual({
          leases: [],
          applied: undefined,
        });
      });
    }, 120_000);

    test('and goes on when its books are settled: under a new identity', async () => {
      await atEachWrite(engine, when, async (scene, { outcomes, working }, where) => {
        const former = scene.context.ledger.processId;
        await takeOver(scene);
        scene.db.thaw();
        await working;
        await check(scene, outcomes, `${where}, and went on`);
        // Nothing fails because of it but what was voided as unfinished.
        for (const [name, outcome] of outcomes) if (name !== 'debit') expect(outcome, `${where}: ${name}`).toBe('done');
        await until(() => scene.context.ledger.processId !== former);
      });
    }, 120_000);
  });

  test.each([1, 2, 4])(
    'and goes on for %i more writes when its books are settled, and then dies: what it left is swept up',
    async (further) => {
      await atEachWrite(engine, 'before', async (scene, { outcomes, working }, where) => {
        const { other, db } = scene;
        await takeOver(scene);
        db.thaw();
        db.freezeAt(further, 'after');
        await Promise.race([working, db.frozen]);
        await other.db
          .collection('processes')
          .patchAll({ state: 'alive', id: { ne: other.ledger.processId } }, { set: { heartbeat_at: 0 } });
        await other.ledger.settleLeftovers();
        const strays = { db: other.db, log, now: other.now };
        await finishStrayEntries(strays, 0);
        await removeStrayRows(strays);
        await returnStrayLeases(strays);
        await check(scene, outcomes, where);
      });
    },
    120_000,
  );

  describe.each(['before', 'after'] as const)('while it settles the books of another one, %s any of its writes', (when) => {
    test.each([5, 9, 13])(
      'a third one finishes them, and it may itself go on (the first stopped at %i)',
      async (first) => {
        await onPlace(engine, async (place) => {
          for (let at = 1, isDone = false; !isDone; at += 1) {
            const scene = await arrange(place);
            // Rows that are not charged yet, leases and an open entry.
            const run = await runInto(scene, first, 'before');
            const settlerDb = makeFreezable(await place.database.open());
            const settler = await open(settlerDb);
            await place.other.db.collection('processes').patch({ id: scene.context.ledger.processId }, { set: { heartbeat_at: 0 } });
            settlerDb.freezeAt(at, when);
            const settling = settler.ledger.settleLeftovers();
            await Promise.race([settling, settlerDb.frozen]);
            isDone = !settlerDb.isFrozen;
            const where = `settler stopped ${when} write ${at}`;
            expect((await audit(place.other.db)).findings, where).toEqual([]);
            await place.other.ledger.settleLeftovers();
            await check(scene, run?.outcomes ?? new Map(), where);
            settlerDb.thaw();
            await settling;
            await check(scene, run?.outcomes ?? new Map(), `${where}, and went on`);
            await settler.close();
            await end(scene, run?.working);
            expect(at).toBeLessThan(60);
          }
        });
      },
      120_000,
    );
  });
});
