// Random interleavings of redeem, pay, notify, cancel, edits, deletions and adjustments in three processes, of which some die in the
// middle. A failing run names its seed.
import { expect, test } from 'vitest';
import type { RunningContext } from '#server/create-context.ts';
import type { OrderRecord } from '#server/db/records/order.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { createCodes } from '#server/features/redemptions/create-codes.ts';
import { editCode, editCodeStatus } from '#server/features/redemptions/edit-code.ts';
import { finishRedemptions, redeemCode } from '#server/features/redemptions/redeem-code.ts';
import { changeCodes } from '#server/features/redemptions/store.ts';
import { creditOrder, finishOrders } from '#server/features/wallet/credit-order.ts';
import { cancelOrder } from '#server/features/wallet/orders.ts';
import { epay } from '#server/features/wallet/payments/epay.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { onPlace, open } from '#tests/faults/bookkeeping.ts';
import type { Place } from '#tests/faults/bookkeeping.ts';
import { later } from '#tests/faults/due-credits.ts';
import { buildUser } from '#tests/support/build.ts';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';
import type { FreezableDatabase } from '#tests/support/freezable-database.ts';
import { seededRandom } from '#tests/support/upstream-responses.ts';

const seed = Number(process.env['INTERLEAVINGS_SEED'] ?? 20_261_122);
const cases = engines.map((engine) => ({ engine, kind: engine.kind, runs: engine === embeddedEngine ? 400 : 40 }));
const subjectsAtOnce = 40;
const acts = 14;

interface Subject {
  users: UserRecord[];
  keys: string[];
  codeIds: number[];
  orders: OrderRecord[];
  /** What was told to have been credited, by user. */
  told: Map<number, number>;
  random: () => number;
}

interface Process {
  context: RunningContext;
  db: FreezableDatabase;
}

test.each(cases)(
  '$runs interleavings on $kind: everything is credited once or not at all',
  async ({ engine, runs }) => {
    const seen = { redeemed: 0, paid: 0, died: 0 };
    for (let done = 0; done < runs; done += subjectsAtOnce) {
      await onPlace(engine, (place) => runBatch(place, seed + done, seen));
    }
    // What is to be shown has happened.
    expect(seen.redeemed).toBeGreaterThan(runs / 4);
    expect(seen.paid).toBeGreaterThan(runs / 4);
    expect(seen.died).toBeGreaterThan(0);
  },
  300_000,
);

async function runBatch(place: Place, batchSeed: number, seen: { redeemed: number; paid: number; died: number }): Promise<void> {
  const where = `seed ${batchSeed}`;
  const random = seededRandom(batchSeed);
  const processes = await Promise.all([start(place), start(place), start(place)]);
  const subjects: Subject[] = [];
  for (let index = 0; index < subjectsAtOnce; index += 1) subjects.push(await arrange(place.other, seededRandom(batchSeed + index)));
  const [victim] = processes;
  if (victim === undefined) throw new Error('No process runs');
  // In the middle of everything, before or after some write.
  victim.db.freezeAt(50 + Math.floor(random() * 300), random() < 0.5 ? 'before' : 'after');
  const acting = Promise.all(
    subjects.flatMap((subject) =>
      Array.from({ length: acts }, () => {
        const process = processes[Math.floor(subject.random() * processes.length)] ?? victim;
        return act(subject, process).catch(() => undefined);
      }),
    ),
  );
  // Whatever waits for the frozen process never ends; the others do.
  await Promise.race([acting, victim.db.frozen.then(() => settled(subjects, processes))]);
  if (victim.db.isFrozen) {
    seen.died += 1;
    await place.other.db.collection('processes').patch({ id: victim.context.ledger.processId }, { set: { heartbeat_at: 0 } });
    await place.other.ledger.recoverCrashed();
  }
  victim.db.thaw();
  await acting;
  for (const { context } of processes) await context.ledger.recoverCrashed();
  await place.other.ledger.recoverCrashed();
  for (let round = 0; round < 2; round += 1) {
    await finishRedemptions(later(place.other));
    await finishOrders(later(place.other));
  }
  for (const subject of subjects) await check(place.other, subject, where, seen);
  expect((await audit(place.other.db)).findings, where).toEqual([]);
  for (const { context } of processes) await context.close();
}

/** Time for what does not hang to come to its end: turns of the event loop with work on the database. */
async function settled(subjects: readonly Subject[], [, ...others]: readonly Process[]): Promise<void> {
  for (const { context } of others)
    for (const { users } of subjects) for (const { id } of users) await context.db.collection('users').get(id);
}

async function start(place: Place): Promise<Process> {
  const db = makeFreezable(await place.database.open());
  return { db, context: await open(db) };
}

async function arrange(context: RunningContext, random: () => number): Promise<Subject> {
  const users: UserRecord[] = [];
  for (let index = 0; index < 2; index += 1) {
    const user = await buildUser(context);
    await context.db.collection('users').insert(user);
    users.push(user);
  }
  const [owner] = users;
  if (owner === undefined) throw new Error('There are no users');
  const keys = await createCodes(context, owner, { name: 'mix', quota: 100, count: 2 });
  const codes = await context.db.collection('redemptions').find({ key_hash: { in: keys.map((key) => context.secrets.hash(key)) } });
  const orders: OrderRecord[] = [];
  for (const user of users) {
    const id = await context.db.nextId('orders');
    const fixed = { amount: 1, quota: 1000, cents: 730, create_time: 0, complete_time: 0, provider_trade_no: '', claims: 0 };
    const order: OrderRecord = {
      id,
      user_id: user.id,
      trade_no: `T${id}`,
      provider: 'epay',
      method: 'alipay',
      status: 'pending',
      ...fixed,
    };
    await context.db.collection('orders').insert(order);
    orders.push(order);
  }
  return { users, keys, codeIds: codes.map(({ id }) => id), orders, told: new Map(), random };
}

async function act({ users, keys, codeIds, orders, told, random }: Subject, { context }: Process): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] ?? raise();
  const user = pick(users);
  const choice = random();
  const note = (id: number, quota: number) => told.set(id, (told.get(id) ?? 0) + quota);
  if (choice < 0.4) {
    note(user.id, await redeemCode(context, user, pick(keys)));
  } else if (choice < 0.65) {
    const order = pick(orders);
    const cents = random() < 0.8 ? order.cents : 1;
    await creditOrder(context, epay, { kind: 'paid', tradeNo: order.trade_no, cents, providerTradeNo: 'x' });
  } else if (choice < 0.72) {
    const order = pick(orders);
    await cancelOrder(context, order.user_id, order.trade_no);
  } else if (choice < 0.8) {
    await editCode(context, { id: pick(codeIds), quota: 1 + Math.floor(random() * 500) });
  } else if (choice < 0.87) {
    await editCodeStatus(context, { id: pick(codeIds), status: random() < 0.5 ? 1 : 2 });
  } else if (choice < 0.9) {
    await changeCodes(context, [pick(codeIds)], 'delete');
  } else {
    const amount = Math.floor((random() - 0.5) * 400) || 1;
    const ref = `adjust:${user.id}:${random()}`;
    await context.ledger.change({ account: 'user', id: user.id, amount, kind: 'edit', ref, actorId: 0 });
  }
}

async function check(
  { db }: RunningContext,
  { users, codeIds, orders, told }: Subject,
  where: string,
  seen: { redeemed: number; paid: number },
): Promise<void> {
  const codes = await db.collection('redemptions').find({ id: { in: codeIds } });
  const paid = await db.collection('orders').find({ id: { in: orders.map(({ id }) => id) }, status: 'success' });
  for (const record of [...codes, ...paid]) expect(record, where).not.toHaveProperty('credit_due_at');
  for (const user of users) {
    const entries = await db.collection('ledger').find({ account: 'user', account_id: user.id, state: 'done' });
    const sum = (kind: string) => entries.filter((entry) => entry.kind === kind).reduce((total, { amount }) => total + amount, 0);
    const own = codes.filter(({ status, used_user_id }) => status === 3 && used_user_id === user.id);
    expect(sum('redemption'), `${where}: codes`).toBe(own.reduce((total, { quota }) => total + quota, 0));
    expect(
      entries.filter(({ kind }) => kind === 'redemption'),
      where,
    ).toHaveLength(own.length);
    const ownPaid = paid.filter(({ user_id }) => user_id === user.id);
    expect(sum('topup'), `${where}: orders`).toBe(ownPaid.length * 1000);
    // Nobody was told of more than what came.
    expect(told.get(user.id) ?? 0, `${where}: told`).toBeLessThanOrEqual(sum('redemption'));
    const record = await db.collection('users').get(user.id);
    expect(record === null ? null : balanceOf(record), `${where}: balance`).toBe(entries.reduce((total, { amount }) => total + amount, 0));
    expect(await db.collection('logs').count({ user_id: user.id, type: 1 }), `${where}: rows`).toBe(own.length + ownPaid.length);
    seen.redeemed += own.length;
    seen.paid += ownPaid.length;
  }
}

function raise(): never {
  throw new Error('There is nothing to pick');
}
