// Random interleavings of everything that moves money, in three processes on one database, and what must be true after each.
import { pino } from 'pino';
import { expect } from 'vitest';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import { budgetsOfToken } from '#server/budgets/bound-budgets.ts';
import { closePeriod, currentPeriod } from '#server/budgets/periods.ts';
import { createChangeFeed } from '#server/db/change-feed.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Database } from '#server/db/database.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { createLedger, type Ledger } from '#server/money/ledger.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { ChargedBudget } from '#server/money/leases/reservations.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { buildTokenRecord } from '#tests/support/build-token.ts';
import { buildUserRecord } from '#tests/support/build.ts';
import type { Engine } from '#tests/support/engines.ts';
import { type FreezableDatabase, makeFreezable } from '#tests/support/freezable-database.ts';
import { seededRandom } from '#tests/support/upstream-responses.ts';

export interface InterleavingsOptions {
  engine: Engine;
  runs: number;
  seed: number;
  /** Actual usage stays within its reservation. */
  honoursLimits: boolean;
}

/** Quota: what the largest answer of the model costs, and what most need. */
const largest = 1_000;
const most = 40;
const processes = 3;
const steps = 8;
/** Users of a batch, each with an interleaving of its own at the same time: one database and its processes serve them all. */
const usersAtOnce = 1_000;
/** Milliseconds that a call waits for money of others. */
const waitMs = 40;
/** `kind` of the ledger entries of `setBalance`. */
const setBalanceKind = 'test-set';
const log = pino({ level: 'silent' });

interface Process {
  ledger: Ledger;
  changes: ChangeFeed;
  db: FreezableDatabase;
  stopFeed(): Promise<void>;
  isDead: boolean;
}

interface Call {
  reservation: Reservation;
  process: Process;
  /** What it will be charged. */
  cost: number;
}

interface Subject {
  user: UserRecord;
  token: TokenRecord;
  isLimited: boolean;
  calls: Call[];
  random: () => number;
  /** The most that one call of it cost more than it had reserved. */
  outgrowth: number;
}

/** @throws when an account is further below zero than it may be, or the books do not balance */
export async function runInterleavings(
  options: InterleavingsOptions,
): Promise<{ runs: number; refused: number; overdrawn: number; killed: number }> {
  const report = { runs: 0, refused: 0, overdrawn: 0, killed: 0 };
  const random = seededRandom(options.seed);
  while (report.runs < options.runs) {
    const count = Math.min(usersAtOnce, options.runs - report.runs);
    const seed = Math.floor(random() * 2 ** 31);
    await runBatch(options, { count, seed, report });
    report.runs += count;
  }
  return report;
}

interface Batch {
  count: number;
  seed: number;
  report: { refused: number; overdrawn: number; killed: number };
}

async function runBatch({ engine, honoursLimits }: InterleavingsOptions, { count, seed, report }: Batch): Promise<void> {
  const where = `seed ${seed}`;
  const random = seededRandom(seed);
  const database = await engine.create();
  const running: Process[] = [];
  try {
    for (let index = 0; index < processes; index += 1) running.push(await start(await database.open(), random));
    const subjects: Subject[] = [];
    for (let index = 0; index < count; index += 1) subjects.push(await arrange(database.db, running, seededRandom(seed + index)));
    for (let step = 0; step < steps; step += 1) {
      const acting = Promise.all(subjects.map((subject) => act(subject, [...running], { honoursLimits, report })));
      // In the middle of everything. What it left is settled by the others.
      const victim = random() < 0.2 ? running[Math.floor(random() * running.length)] : undefined;
      if (victim !== undefined) {
        await kill(victim);
        report.killed += 1;
      }
      await acting;
      if (victim !== undefined) {
        running.splice(running.indexOf(victim), 1, await start(await database.open(), random));
        for (const subject of subjects) subject.calls = subject.calls.filter((call) => !call.process.isDead);
      }
      await check(database.db, subjects, where);
    }
    await Promise.all(subjects.flatMap((subject) => subject.calls.splice(0).map((call) => settle(subject, call))));
    for (const process of running.splice(0)) await stop(process);
    await check(database.db, subjects, where);
    expect((await audit(database.db)).findings, where).toEqual([]);
    for (const subject of subjects) {
      const { user } = await read(database.db, subject);
      if (balanceOf(user) < 0) report.overdrawn += 1;
    }
  } finally {
    for (const process of running) await stop(process);
    await database.remove();
  }
}

async function start(real: Database, random: () => number): Promise<Process> {
  const db = makeFreezable(real);
  const changes = createChangeFeed({ db, pollMilliseconds: 20 });
  await changes.start();
  const randomText = (length: number) => Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz'[Math.floor(random() * 26)]).join('');
  const ledger = createLedger({ db, changes, log, now: Date.now, randomText, waitMs });
  await ledger.start();
  return { ledger, changes, db, stopFeed: () => changes.stop(), isDead: false };
}

async function stop({ ledger, db, stopFeed }: Process): Promise<void> {
  await ledger.stop();
  await stopFeed();
  await db.close();
}

/** Its database is gone for it, and it has resigned for the others: as after `kill -9` and the time that they watch. */
async function kill(process: Process): Promise<void> {
  process.isDead = true;
  const { processId } = process.ledger;
  await process.db.collection('processes').patch({ id: processId }, { set: { heartbeat_at: 0 } });
  await process.db.close();
}

async function arrange(db: Database, running: readonly Process[], random: () => number): Promise<Subject> {
  const quota = Math.floor(random() * 2.5 * largest);
  const isLimited = random() < 0.5;
  const user = buildUserRecord({ id: await db.nextId('users') });
  await db.collection('users').insert(user);
  const budgets = random() < 0.5 ? '' : budgetsOf(Math.floor(random() * 1.5 * largest) + 1);
  const token = buildTokenRecord({ id: await db.nextId('tokens'), user_id: user.id, unlimited_quota: !isLimited, budgets });
  await db.collection('tokens').insert(token);
  const { ledger } = running[0] ?? raise();
  if (quota > 0) await ledger.change({ account: 'user', id: user.id, amount: quota, ref: `u${user.id}`, kind: 'test', actorId: 0 });
  if (isLimited)
    await ledger.change({
      account: 'token',
      id: token.id,
      amount: 1 + Math.floor(random() * 2 * largest),
      ref: `t${token.id}`,
      kind: 'test',
      actorId: 0,
    });
  return { user, token, isLimited, calls: [], random, outgrowth: 0 };
}

/** Stored budgets of a token: a hard one, and one that is counted only. */
function budgetsOf(amount: number): string {
  const terms = { period: 'month', starts: 'calendar' } as const;
  const budgets = [
    { ...terms, id: 'hard', amount, at_end: 'stop' as const },
    { ...terms, id: 'soft', amount: 1, at_end: 'warn' as const },
  ];
  return storedLimits({ budgets }).budgets ?? '';
}

/** Periods of the token's budgets as a process finds them, opened by the first call. */
async function periodsFor({ token }: Subject, { db, ledger, changes }: Process): Promise<ChargedBudget[]> {
  const stored = await db.collection('tokens').get(token.id);
  const charged: ChargedBudget[] = [];
  for (const bound of stored === null ? [] : budgetsOfToken(stored)) {
    const period = await currentPeriod({ db, ledger, changes, now: Date.now }, bound);
    if (period !== null) charged.push({ id: period.id, isHard: bound.budget.at_end === 'stop' });
  }
  return charged;
}

/** Ends a period, or edits, removes or restores the budgets. */
async function changeBudgets({ random, token }: Subject, { db, changes }: Process): Promise<void> {
  const choice = random();
  if (choice < 0.4) {
    const period = await db.collection('budget_periods').first({ token_id: token.id }, { sort: [['id', -1]] });
    if (period !== null) await closePeriod({ db, changes }, period, Math.floor(Date.now() / 1000));
    return;
  }
  const budgets = choice < 0.5 ? '' : budgetsOf(Math.floor(random() * 1.5 * largest) + 1);
  await db.collection('tokens').patch({ id: token.id }, { set: { budgets } });
}

interface Acting {
  honoursLimits: boolean;
  report: { refused: number };
}

async function act(subject: Subject, running: readonly Process[], acting: Acting): Promise<void> {
  const { random } = subject;
  // Several at once, so that they meet.
  const acts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => one(subject, running, acting));
  await Promise.all(acts);
}

async function one(subject: Subject, running: readonly Process[], acting: Acting): Promise<void> {
  const process = running[Math.floor(subject.random() * running.length)] ?? raise();
  try {
    await choose(subject, process, acting);
  } catch (failure) {
    // The process that was doing it has died.
    if (!running.some(({ isDead }) => isDead)) throw failure;
  }
}

async function choose(subject: Subject, process: Process, acting: Acting): Promise<void> {
  const { random, calls } = subject;
  const choice = random();
  if (choice < 0.5 || calls.length === 0) return begin(subject, process, acting);
  const call = calls.splice(Math.floor(random() * calls.length), 1)[0];
  if (call === undefined) return undefined;
  if (choice < 0.7) return settle(subject, call);
  if (choice < 0.8) {
    // Left before an upstream had it.
    call.process.ledger.release(call.reservation);
    return undefined;
  }
  if (choice < 0.9) {
    await call.process.ledger.extend(call.reservation, 1 + Math.floor(random() * most));
    calls.push(call);
    return undefined;
  }
  calls.push(call);
  if (random() < 0.5) return changeBudgets(subject, process);
  return edit(subject, process, acting);
}

async function begin(subject: Subject, process: Process, { honoursLimits, report }: Acting): Promise<void> {
  const { random, user, token, isLimited } = subject;
  const named = random() < 0.5 ? largest : 1 + Math.floor(random() * most);
  const result = await process.ledger.reserve({
    userId: user.id,
    token: { id: token.id, isLimited },
    budgets: await periodsFor(subject, process),
    amount: named,
    least: Math.min(named, most),
  });
  if (!('reservation' in result)) {
    report.refused += 1;
    return;
  }
  const { reservation } = result;
  const cost = Math.floor(random() * (honoursLimits ? reservation.amount : largest) + 1);
  subject.calls.push({ reservation, process, cost: honoursLimits ? Math.min(cost, reservation.amount) : cost });
}

async function settle(subject: Subject, { reservation, process, cost }: Call): Promise<void> {
  subject.outgrowth = Math.max(subject.outgrowth, cost - reservation.amount);
  const { id: _, ...row } = buildLog({ id: 0, user_id: subject.user.id, token_id: subject.token.id, quota: cost, prompt_tokens: 1 });
  await process.ledger.settle(reservation, row);
}

async function edit(subject: Subject, { ledger }: Process, { honoursLimits }: Acting): Promise<void> {
  const { random, user } = subject;
  const ref = `e${user.id}-${random()}`;
  const request = { account: 'user' as const, id: user.id, ref, kind: 'test', actorId: 0 };
  if (honoursLimits || random() < 0.5) {
    // Refused where it is not there.
    await ledger.change({ ...request, amount: Math.floor((random() - 0.5) * largest) || 1 }).catch(() => {});
    return;
  }
  await ledger.setBalance({ ...request, kind: setBalanceKind, balance: Math.floor(random() * largest) });
}

/**
 * Quota that edits took from below running calls, per user: calls may still spend what they had reserved. From the
 * ledger, since an edit whose process died was applied without a result.
 */
async function takenBySetBalance(db: Database): Promise<Map<number, number>> {
  const taken = new Map<number, number>();
  for await (const { account_id: userId, amount, state } of db.collection('ledger').each({ kind: setBalanceKind }))
    if (amount < 0 && state !== 'void') taken.set(userId, (taken.get(userId) ?? 0) - amount);
  return taken;
}

/** Quota that edits of budgets took from below running calls, per period. */
async function takenByEdits(db: Database): Promise<Map<number, number>> {
  const taken = new Map<number, number>();
  for await (const { account_id: id, amount, state } of db.collection('ledger').each({ account: 'budget' }))
    if (amount < 0 && state !== 'void') taken.set(id, (taken.get(id) ?? 0) - amount);
  return taken;
}

async function checkPeriods(db: Database, subjects: readonly Subject[], where: string): Promise<void> {
  const taken = await takenByEdits(db);
  const outgrowths = new Map(subjects.map(({ token, outgrowth }) => [token.id, outgrowth]));
  for await (const period of db.collection('budget_periods').each({})) {
    const { id, key, token_id: tokenId } = period;
    if (!key.endsWith(':hard')) continue;
    const least = -(outgrowths.get(tokenId) ?? 0) - (taken.get(id) ?? 0);
    expect(balanceOf(period), `${where}: period ${id}`).toBeGreaterThanOrEqual(least);
  }
}

async function read(db: Database, { user, token }: Subject): Promise<{ user: UserRecord; token: TokenRecord }> {
  const [userNow, tokenNow] = [await db.collection('users').get(user.id), await db.collection('tokens').get(token.id)];
  if (userNow === null || tokenNow === null) throw new Error('The accounts are gone');
  return { user: userNow, token: tokenNow };
}

async function check(db: Database, subjects: readonly Subject[], where: string): Promise<void> {
  const users = new Map((await db.collection('users').find({})).map((user) => [user.id, user]));
  const tokens = new Map((await db.collection('tokens').find({})).map((token) => [token.id, token]));
  const taken = await takenBySetBalance(db);
  await checkPeriods(db, subjects, where);
  for (const subject of subjects) {
    const [user, token] = [users.get(subject.user.id), tokens.get(subject.token.id)];
    if (user === undefined || token === undefined) throw new Error('The accounts are gone');
    const { outgrowth } = subject;
    expect(balanceOf(user), `${where}: user ${user.id}`).toBeGreaterThanOrEqual(-outgrowth - (taken.get(user.id) ?? 0));
    if (subject.isLimited) expect(balanceOf(token), `${where}: token ${token.id}`).toBeGreaterThanOrEqual(-outgrowth);
  }
}

function raise(): never {
  throw new Error('No process runs');
}
