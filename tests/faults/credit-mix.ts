// Random interleavings of everything that becomes balance (codes, orders, invite earnings, refunds of tasks and of calls) with charges, edits,
// adjustments and deletions, in three processes of which some die in the middle; and what must be true after each.
import { expect } from 'vitest';
import { deleteAccount } from '#server/accounts/end-account.ts';
import { finishTransfers, transferEarnings } from '#server/accounts/transfer-earnings.ts';
import type { RunningContext } from '#server/create-context.ts';
import type { OrderRecord } from '#server/db/records/order.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { saveOptions } from '#server/features/options/save-options.ts';
import { createCodes } from '#server/features/redemptions/create-codes.ts';
import { editCode, editCodeStatus } from '#server/features/redemptions/edit-code.ts';
import { finishRedemptions, redeemCode } from '#server/features/redemptions/redeem-code.ts';
import { changeCodes } from '#server/features/redemptions/store.ts';
import { creditOrder, finishOrders } from '#server/features/wallet/credit-order.ts';
import { readStatement } from '#server/features/statements/read-statement.ts';
import { cancelOrder, placeOrder } from '#server/features/wallet/orders.ts';
import { epay, epaySign } from '#server/features/wallet/payments/epay.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { Role } from '#shared/roles.ts';
import { centsText } from '#shared/top-up-price.ts';
import { open, type Place } from '#tests/faults/bookkeeping.ts';
import { callSome, checkCallBooks, finishCalls, giveBackSome, type SeenCalls } from '#tests/faults/call-acts.ts';
import { later } from '#tests/faults/due-credits.ts';
import {
  checkTaskBooks,
  createKeys,
  draw,
  finishTasks,
  openApp,
  type SeenTasks,
  type TaskDesk,
  type TaskKey,
} from '#tests/faults/task-acts.ts';
import { buildUser } from '#tests/support/build.ts';
import { type FreezableDatabase, makeFreezable } from '#tests/support/freezable-database.ts';
import { seededRandom } from '#tests/support/upstream-responses.ts';

/** Events of a run, so that a test can show that it covered them. */
export interface Seen extends SeenTasks, SeenCalls {
  redeemed: number;
  paid: number;
  transferred: number;
  deleted: number;
  died: number;
}

interface Subject {
  users: UserRecord[];
  codes: { id: number; key: string }[];
  orders: Pick<OrderRecord, 'trade_no' | 'user_id' | 'cents'>[];
  /** Codes that were reported as redeemed. A repeated slow attempt may report one code twice. */
  reported: { userId: number; codeId: number; quota: number }[];
  /** Ledger names of the transfers that were reported as made. */
  reportedTransfers: Set<string>;
  desk: TaskDesk;
  keys: TaskKey[];
  /** An administrator. */
  actor: UserRecord;
  random: () => number;
}

interface Process {
  context: RunningContext;
  db: FreezableDatabase;
}

const acts = 16;
/** Invite earnings that everybody begins with, and the least that can be transferred. Quota. */
const earnings = 2_000_000;
const transferUnit = 500_000;
const epayKey = 'the key of a merchant';
const merchant = '1001';

/** Payments are taken here; before the processes of the place are started. */
export async function openPayments({ other }: Place): Promise<void> {
  const actor = { ...(await buildUser(other)), role: Role.root };
  const values = { ServerAddress: 'https://tide.example', PayAddress: 'https://pay.example', EpayId: merchant, EpayKey: epayKey };
  const edits = Object.entries(values).map(([key, value]) => ({ key, value }));
  await saveOptions(other, edits, { actor, conflictData: () => null });
}

/** So many interleavings at the same time: they share the processes, and the crash of one. */
export async function runMix(
  place: Place,
  { desk, count, seed, seen }: { desk: TaskDesk; count: number; seed: number; seen: Seen },
): Promise<void> {
  const where = `seed ${seed}`;
  const random = seededRandom(seed);
  const processes = await Promise.all([start(place, desk), start(place, desk), start(place, desk)]);
  const subjects: Subject[] = [];
  for (let index = 0; index < count; index += 1) subjects.push(await arrange(place.other, desk, seededRandom(seed + index)));
  // One dies, or two do, in the middle of everything, before or after some write.
  const victims = processes.slice(0, random() < 0.3 ? 2 : 1);
  for (const { db } of victims) db.freezeAt(20 + Math.floor(random() * 8 * count), random() < 0.5 ? 'before' : 'after');
  const acting = Promise.all(subjects.flatMap((subject) => Array.from({ length: acts }, () => actSomewhere(subject, processes))));
  // Whatever waits for a frozen process never ends; the others do.
  const firstFrozen = Promise.race(victims.map(({ db }) => db.frozen));
  await Promise.race([acting, firstFrozen.then(() => othersSettle(subjects, processes.slice(victims.length)))]);
  const dead = victims.filter(({ db }) => db.isFrozen);
  for (const { context } of dead) {
    seen.died += 1;
    await place.other.db.collection('processes').patch({ id: context.ledger.processId }, { set: { heartbeat_at: 0 } });
  }
  if (dead.length > 0) await place.other.ledger.recoverCrashed();
  for (const { db } of victims) db.thaw();
  await acting;
  for (const { context } of processes) await context.ledger.recoverCrashed();
  await finishAll(place.other, desk);
  for (const subject of subjects) await check(place.other, subject, where, seen);
  expect((await audit(place.other.db)).findings, where).toEqual([]);
  for (const { context } of processes) await context.close();
}

/** The jobs that finish what was left. */
async function finishAll(other: RunningContext, desk: TaskDesk): Promise<void> {
  await other.ledger.recoverCrashed();
  for (let round = 0; round < 3; round += 1) {
    await finishRedemptions(later(other));
    await finishOrders(later(other));
    await finishTransfers(other);
  }
  await finishTasks(desk, other);
  await finishCalls(other);
}

/** Time for what does not hang to come to its end: turns of the event loop with work on the database. */
async function othersSettle(subjects: readonly Subject[], others: readonly Process[]): Promise<void> {
  for (const { context } of others)
    for (const { users } of subjects)
      for (const { id } of users)
        await context.db
          .collection('users')
          .get(id)
          .catch(() => null);
}

async function start(place: Place, desk: TaskDesk): Promise<Process> {
  const db = makeFreezable(await place.database.open());
  const context = await open(db);
  openApp(desk, context);
  return { db, context };
}

async function arrange(context: RunningContext, desk: TaskDesk, random: () => number): Promise<Subject> {
  const users: UserRecord[] = [];
  for (let index = 0; index < 2; index += 1) {
    const user = { ...(await buildUser(context)), aff_quota: earnings, aff_history_quota: earnings };
    await context.db.collection('users').insert(user);
    users.push(user);
  }
  const orders: Subject['orders'] = [];
  for (const user of users) orders.push((await placeOrder(context, user, { amount: 1, payment_method: 'alipay' })).order);
  const keys = await createCodes(context, pick(users, random), { name: 'mix', quota: 100, count: 2 });
  const codes: Subject['codes'] = [];
  for (const key of keys) {
    const record = await context.db.collection('redemptions').first({ key_hash: context.secrets.hash(key) });
    if (record !== null) codes.push({ id: record.id, key });
  }
  const taskKeys = await createKeys(context, users);
  const actor = await buildUser(context, { role: Role.root });
  await context.db.collection('users').insert(actor);
  return { users, codes, orders, reported: [], reportedTransfers: new Set(), desk, keys: taskKeys, actor, random };
}

async function actSomewhere(subject: Subject, processes: readonly Process[]): Promise<void> {
  const { context } = pick(processes, subject.random);
  const choice = subject.random();
  const act = weighted.find(([upTo]) => choice < upTo)?.[1] ?? adjust;
  // Refusals are part of it, and so is what a process that died leaves undone.
  await act(subject, context, processes).catch(() => undefined);
}

type Act = (subject: Subject, context: RunningContext, processes: readonly Process[]) => Promise<void>;

const weighted: readonly (readonly [upTo: number, act: Act])[] = [
  [0.17, redeem],
  [0.26, pay],
  [0.4, notify],
  [0.44, cancel],
  [0.56, transfer],
  [0.62, editCodes],
  [0.64, endUser],
  [0.8, callAndGiveBack],
  [0.95, (subject, _context, processes) => draw(subject.desk, subject, contextsOf(processes))],
];

async function redeem({ users, codes, reported, random }: Subject, context: RunningContext): Promise<void> {
  const [user, code] = [pick(users, random), pick(codes, random)];
  reported.push({ userId: user.id, codeId: code.id, quota: await redeemCode(context, user, code.key) });
}

/** An order, and half of the time its notice right away. */
async function pay(subject: Subject, context: RunningContext): Promise<void> {
  const { users, orders, random } = subject;
  const input = { amount: 1 + Math.floor(random() * 3), payment_method: random() < 0.5 ? 'zfb' : 'wxpay' };
  const isPaid = random() < 0.5;
  const { order } = await placeOrder(context, pick(users, random), input);
  orders.push(order);
  if (isPaid) await notify(subject, context);
}

/** What the payment provider sends: mostly right, sometimes of another price, about no payment, or forged. */
async function notify({ orders, random }: Subject, context: RunningContext): Promise<void> {
  const order = pick(orders, random);
  const fault = random();
  const fields = {
    pid: merchant,
    trade_no: `provider-${order.trade_no}`,
    out_trade_no: order.trade_no,
    money: centsText(fault < 0.1 ? 1 : order.cents),
    trade_status: fault > 0.95 ? 'TRADE_CLOSED' : 'TRADE_SUCCESS',
  };
  const sign = epaySign(fields, fault > 0.85 && fault < 0.95 ? 'another key' : epayKey);
  const query = new URLSearchParams({ ...fields, sign, sign_type: 'MD5' });
  const reading = epay.notice.read(context, { method: 'GET', query, body: '', headers: new Headers() });
  if (reading.kind === 'paid') await creditOrder(context, epay, reading);
}

async function cancel({ orders, random }: Subject, context: RunningContext): Promise<void> {
  const order = pick(orders, random);
  await cancelOrder(context, order.user_id, order.trade_no);
}

/** Under few names, so that transfers are repeated. */
async function transfer({ users, reportedTransfers, random }: Subject, context: RunningContext): Promise<void> {
  const user = pick(users, random);
  const ref = `transfer-${Math.floor(random() * 3)}`;
  await transferEarnings(context, user, { quota: transferUnit * (1 + Math.floor(random() * 2)), ref });
  reportedTransfers.add(`transfer:${user.id}:${ref}`);
}

/** A call, and by another process what was paid for it or for an earlier one, twice. */
async function callAndGiveBack(subject: Subject, context: RunningContext, processes: readonly Process[]): Promise<void> {
  await callSome(subject, context);
  const givers = [pick(processes, subject.random), pick(processes, subject.random)];
  await Promise.allSettled(givers.map((giver) => giveBackSome(subject, giver.context)));
}

async function editCodes({ codes, random }: Subject, context: RunningContext): Promise<void> {
  const { id } = pick(codes, random);
  const choice = random();
  if (choice < 0.45) await editCode(context, { id, quota: 1 + Math.floor(random() * 500) });
  else if (choice < 0.85) await editCodeStatus(context, { id, status: random() < 0.5 ? 1 : 2 });
  else await changeCodes(context, [id], 'delete');
}

/** Claimed and paid credits still complete. */
async function endUser({ users, random }: Subject, context: RunningContext): Promise<void> {
  await deleteAccount(context, pick(users, random).id, () => undefined);
}

async function adjust({ users, random }: Subject, { ledger }: RunningContext): Promise<void> {
  const { id } = pick(users, random);
  const request = { account: 'user' as const, id, kind: 'edit', ref: `adjust:${id}:${random()}`, actorId: 0 };
  if (random() < 0.3) await ledger.setBalance({ ...request, balance: Math.floor(random() * 1_000_000) });
  else await ledger.change({ ...request, amount: Math.floor((random() - 0.5) * 400_000) || 1 });
}

async function check(context: RunningContext, subject: Subject, where: string, seen: Seen): Promise<void> {
  const { db } = context;
  const codes = await db.collection('redemptions').find({ id: { in: subject.codes.map(({ id }) => id) } });
  for (const { codeId, userId, quota } of subject.reported) {
    const reported = codes.find(({ id }) => id === codeId);
    expect(reported, `${where}: told`).toMatchObject({ status: 3, used_user_id: userId, quota });
  }
  for (const user of subject.users) {
    const record = await db.collection('users').get(user.id);
    if (record === null) throw new Error('The account is gone');
    const orders = await db.collection('orders').find({ user_id: user.id });
    const entries = await db.collection('ledger').find({ account: 'user', account_id: user.id });
    for (const claim of [...codes, ...orders]) expect(claim, where).not.toHaveProperty('credit_due_at');
    expect(record, where).not.toHaveProperty('transfer_ref');
    expect(
      entries.filter(({ state }) => state === 'open'),
      where,
    ).toEqual([]);
    const done = entries.filter(({ state }) => state === 'done');
    const statement = await readStatement(context, record, { start_timestamp: 0 });
    expect(statement.closing, `${where}: statement`).toBe(balanceOf(record));
    const sum = (kind: string) => done.reduce((all, entry) => all + (entry.kind === kind ? entry.amount : 0), 0);
    const count = (kind: string) => done.filter((entry) => entry.kind === kind).length;
    const calls = await checkCallBooks(context, { user, seen, where });
    await checkTaskBooks(context, { desk: subject.desk, user, keys: subject.keys, calls, where });
    const rows = await db.collection('logs').find({ user_id: user.id, type: 2 });
    const charged = total(rows.filter(({ process }) => process !== undefined));
    const redeemed = codes.filter(({ status, used_user_id }) => status === 3 && used_user_id === user.id);
    const paid = orders.filter(({ status }) => status === 'success');
    expect([sum('redemption'), count('redemption')], `${where}: codes`).toEqual([total(redeemed), redeemed.length]);
    expect([sum('topup'), count('topup')], `${where}: orders`).toEqual([total(paid), paid.length]);
    expect(sum('transfer'), `${where}: transfers`).toBe(earnings - record.aff_quota);
    expect(balanceOf(record), `${where}: balance`).toBe(done.reduce((all, { amount }) => all + amount, 0) - charged);
    expect(await db.collection('logs').count({ user_id: user.id, type: 1 }), `${where}: rows`).toBe(redeemed.length + paid.length);
    const names = new Set(done.map(({ ref }) => ref));
    const own = [...subject.reportedTransfers].filter((ref) => ref.startsWith(`transfer:${user.id}:`));
    expect(
      own.filter((ref) => !names.has(ref)),
      `${where}: transfers told`,
    ).toEqual([]);
    seen.redeemed += redeemed.length;
    seen.paid += paid.length;
    seen.transferred += count('transfer');
    seen.deleted += Number(record.DeletedAt !== null);
  }
}

function contextsOf(processes: readonly Process[]): RunningContext[] {
  return processes.map(({ context }) => context);
}

function total(claims: readonly { quota: number }[]): number {
  return claims.reduce((all, { quota }) => all + quota, 0);
}

function pick<T>(list: readonly T[], random: () => number): T {
  const item = list[Math.floor(random() * list.length)];
  if (item === undefined) throw new Error('There is nothing to pick');
  return item;
}
