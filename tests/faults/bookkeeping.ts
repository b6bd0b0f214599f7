// A piece of bookkeeping that is disturbed in every possible place, and what must be true however it was disturbed.
import { pino } from 'pino';
import { expect } from 'vitest';
import { createContext, type RunningContext } from '#server/create-context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Database } from '#server/db/database.ts';
import { readEnv } from '#server/env.ts';
import { balanceOf, emptyMoney } from '#server/money/account.ts';
import type { ChargedBudget } from '#server/money/leases/reservations.ts';
import { audit } from '#server/money/audit.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { buildLog } from '#tests/support/build-log.ts';
import type { Engine, TestDatabase } from '#tests/support/engines.ts';
import { type FreezableDatabase, makeFreezable } from '#tests/support/freezable-database.ts';

export const log = pino({ level: 'silent' });
const startQuota = 10_000;
const tokenQuota = 5_000;
const periodQuota = 2_000;

export function open(db: Database): Promise<RunningContext> {
  return createContext({ env: readEnv({ LOG_LEVEL: 'silent' }), db, masterKey: 'a master key for this test', log });
}

/** One database for all the points at which a process stops, and a process that settles and reports the state. */
export interface Place {
  database: TestDatabase;
  other: RunningContext;
}

export interface Scene extends Place {
  /** The process that stops. */
  db: FreezableDatabase;
  context: RunningContext;
  user: UserRecord;
  limited: TokenRecord;
  unlimited: TokenRecord;
  /** Periods of a hard budget of the limited token, and of one of the user that warns. */
  periods: readonly ChargedBudget[];
}

export async function onPlace(engine: Engine, use: (place: Place) => Promise<void>): Promise<void> {
  const database = await engine.create();
  const other = await open(await database.open());
  try {
    await use({ database, other });
  } finally {
    await other.close();
    await database.remove();
  }
}

export async function arrange(place: Place): Promise<Scene> {
  const { database, other } = place;
  const db = makeFreezable(await database.open());
  const context = await open(db);
  const user = await buildUser(other);
  await other.db.collection('users').insert(user);
  await other.ledger.change({ account: 'user', id: user.id, amount: startQuota, kind: 'test', ref: `start ${user.id}`, actorId: 0 });
  const { token: limited } = await createToken(other, user.id, { quota: tokenQuota });
  const { token: unlimited } = await createToken(other, user.id);
  const hard = await addPeriod(other, `token:${limited.id}:a`, periodQuota);
  const soft = await addPeriod(other, `user:${user.id}:a`, 1);
  return {
    ...place,
    db,
    context,
    user,
    limited,
    unlimited,
    periods: [
      { id: hard, isHard: true },
      { id: soft, isHard: false },
    ],
  };
}

async function addPeriod({ db }: RunningContext, key: string, amount: number): Promise<number> {
  const id = await db.nextId('budget_periods');
  const of = { id, key, number: 1, user_id: 0, token_id: 0, terms: 'once', starts_at: 0, ends_at: 0 };
  const period = { ...emptyMoney(), ...of, opened: amount, base: amount, revision: 0, quota: amount };
  await db.collection('budget_periods').insert({ ...period, used_quota: 0, calls: 0, refused: 0, active: 1 });
  return id;
}

/** What became of each piece of the work, by name; absent: it never ended. */
export type Outcomes = Map<string, 'done' | 'failed'>;

/** Everything that moves money, some of it at the same time. */
export async function work({ context, user, limited, unlimited, periods }: Scene, outcomes: Outcomes): Promise<void> {
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
    const result = await ledger.reserve({
      userId: user.id,
      token: { id: token.id, isLimited: token === limited },
      budgets: token === limited ? periods : periods.slice(1),
      amount,
    });
    if (!('reservation' in result)) throw new Error('refused');
    // As in a stream: what cannot be reserved now is found when it is settled. A reservation always ends, or it holds its money for ever.
    if (extension > 0) await Promise.resolve(ledger.extend(result.reservation, extension)).catch(() => {});
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
    note('call 4', call('call 4', limited, { amount: 50, extension: 80, quota: null })),
  ]);
  await note('debit', change('debit', -700));
  // More than was reserved.
  await note('call 5', call('call 5', limited, { amount: 10, extension: 0, quota: 40 }));
}

const charges: Record<string, number> = { 'call 1': 120, 'call 2': 250, 'call 3': 30, 'call 5': 40 };

/**
 * Every book balances, and everything that was reported happened exactly once. What was reported as failed did not happen;
 * a change of a balance may still come, when that was not to be known (`isOpen`).
 */
export async function check(scene: Scene, outcomes: Outcomes, where: string): Promise<void> {
  expect((await audit(scene.other.db)).findings, where).toEqual([]);
  await checkAccounts(scene, outcomes, where);
}

/** The same but for the proof of all books, which is one for all scenes of a place. */
export async function checkAccounts(
  { other, user, limited, periods }: Scene,
  outcomes: Outcomes,
  where: string,
  isOpen = false,
): Promise<void> {
  const rows = await other.db.collection('logs').find({ user_id: user.id });
  const named = Object.groupBy(rows, (row) => row.request_id ?? '');
  for (const [name, same = []] of Object.entries(named)) expect(same.length, `${where}: rows of ${name}`).toBe(1);
  const entries = await other.db.collection('ledger').find({ account: 'user', account_id: user.id, kind: { ne: 'test' } });
  for (const [name, outcome] of outcomes) {
    if (name in charges) expect(named[name] !== undefined, `${where}: ${name} was ${outcome}`).toBe(outcome === 'done');
    if (name === 'credit' || name === 'debit') {
      const state = entries.find((entry) => entry.kind === name)?.state;
      if (outcome === 'done') expect(state, `${where}: ${name}`).toBe('done');
      else if (!isOpen) expect(state, `${where}: ${name}`).not.toBe('done');
    }
  }
  const spent = rows.reduce((sum, row) => sum + row.quota, 0);
  const credited = entries.reduce((sum, entry) => sum + (entry.state === 'done' ? entry.amount : 0), startQuota);
  const [userNow, tokenNow] = [await other.db.collection('users').get(user.id), await other.db.collection('tokens').get(limited.id)];
  if (userNow === null || tokenNow === null) throw new Error('The accounts are gone');
  expect(balanceOf(userNow), `${where}: the user's balance`).toBe(credited - spent);
  for (const { id, isHard } of periods) {
    const period = await other.db.collection('budget_periods').get(id);
    const charged = rows.reduce((sum, row) => sum + (isHard && row.token_id !== limited.id ? 0 : row.quota), 0);
    const left = (isHard ? periodQuota : 1) - charged;
    expect(period === null ? undefined : balanceOf(period), `${where}: a budget`).toBe(left);
    expect(period?.used_quota, `${where}: used of a budget`).toBe(charged);
  }
  const fromToken = rows.reduce((sum, row) => sum + (row.token_quota ?? 0), 0);
  expect(balanceOf(tokenNow), `${where}: the token's balance`).toBe(tokenQuota - fromToken);
}

/** How many writes the whole work takes when nothing stops it. */
export async function countWrites(place: Place): Promise<number> {
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

/** Lets it run to its end, so that the next one finds only the state that it left in the database. */
export async function end({ context, db }: Scene, working?: Promise<void>): Promise<void> {
  db.thaw();
  await working;
  await context.close();
}
