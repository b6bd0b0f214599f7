// Balance changes other than relayed calls. A ledger entry with a unique reference is written first, then applied to
// the account exactly once. After a crash between the two, the entry is still open, and a mark in the account shows
// whether it was applied.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import { DatabaseUnavailable, UniqueConflict } from '#server/db/collection.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import type { Database } from '#server/db/database.ts';
import {
  accountKinds,
  type AccountRecord,
  type AccountRef,
  accountRules,
  balanceOf,
  changeAccount,
  chargedOf,
  eachAccount,
  leasedOf,
  readAccount,
} from '#server/money/account.ts';
import type { LedgerChange, BalanceTarget, LedgerRequest, LedgerResult, Opening } from '#server/money/ledger.ts';

export interface EntriesOptions {
  db: Database;
  changes: ChangeFeed;
  now(): number;
  processId(): string;
  /** Ids of entries that this process is applying. */
  running: Set<number>;
}

/** Maximum wait of a change for idle leases to be returned. */
const recallMs = 1_000;
/** Retention of marks: no process stalls longer between the two steps of an entry. */
const markMs = 24 * 3600 * 1000;

export async function changeBalance(options: EntriesOptions, request: LedgerRequest & LedgerChange): Promise<LedgerResult> {
  checkAmount(request.amount);
  const { amount, unused, isBounded = true } = request;
  return enter(options, request, { amount, unused, isBounded: isBounded && amount < 0 });
}

export async function openAccount(options: EntriesOptions, request: LedgerRequest & Opening): Promise<LedgerResult> {
  checkAmount(request.amount);
  checkAmount(request.used);
  return enter(options, request, { amount: request.amount, isBounded: false, opened: request.used });
}

export async function setBalance(options: EntriesOptions, request: LedgerRequest & BalanceTarget): Promise<LedgerResult> {
  checkAmount(request.balance);
  const record = await readAccount(options.db, { kind: request.account, id: request.id });
  if (record === null) throw new AppError('not_found');
  const amount = request.balance - spentSince(record, request) - balanceOf(record);
  if (amount === 0) return { isNew: true, amount: 0, balance: balanceOf(record) };
  // Running calls may spend their reservations below the target.
  const { revision } = request;
  if (revision !== undefined && revision !== record.revision) throw new AppError('revision_conflict');
  const result = await enter(options, request, { amount, isBounded: false, revision });
  // Idle leases must be returned, or new calls spend them.
  if (amount < 0 && leasedOf(record) > 0) await options.changes.announce('lease', `${request.account}:${request.id}`);
  return result;
}

/** Spending moves quota from the balance to `used_quota` and `charged_quota`, so their growth is the amount spent. */
function spentSince(record: AccountRecord, { knownUsed, knownCharged }: BalanceTarget): number {
  if (knownCharged !== undefined) return chargedOf(record) - knownCharged;
  return knownUsed === undefined ? 0 : record.used_quota - knownUsed;
}

/** Completes the open entries of a process, except those it is applying now (`running`). */
export async function finishOpenEntries(
  { db, now }: { db: Database; now(): number },
  processId: string,
  running: ReadonlySet<number> = new Set(),
): Promise<void> {
  let refused: unknown;
  for await (const entry of db.collection('ledger').each({ state: 'open' })) {
    if (entry.process !== processId || running.has(entry.id)) continue;
    try {
      await finishEntry(db, entry, now());
    } catch (failure) {
      if (failure instanceof DatabaseUnavailable) throw failure;
      // The others are completed even if the database rejects this one.
      refused ??= failure;
    }
  }
  if (refused !== undefined) throw new Error('A ledger entry could not be finished', { cause: refused });
}

async function finishEntry(db: Database, entry: LedgerRecord, now: number): Promise<void> {
  // A debit that is not applied took nothing, and no outcome was reported: it is voided.
  if (entry.amount < 0 && (await voidEntry(db, entry, now, { abandoned: true }))) return;
  const isApplied = entry.amount < 0 || (await applyToAccount(db, entry, { now, isBounded: false })) !== null;
  // If not applied now, it was applied or voided before, or is not possible any more.
  if (!isApplied && (await voidEntry(db, entry, now))) return;
  await db.collection('ledger').patch({ id: entry.id, state: 'open' }, { set: { state: 'done' } });
}

/**
 * Removes marks of entries completed long ago. Marks of open entries remain: without its mark, an entry would be
 * applied again.
 */
export async function removeOldMarks({ db, now }: { db: Database; now(): number }): Promise<void> {
  const before = now() - markMs;
  const openMarks = new Set<string>();
  for await (const entry of db.collection('ledger').each({ state: 'open' })) openMarks.add(appliedMark(entry)).add(voidMark(entry));
  for (const kind of accountKinds) {
    for await (const record of eachAccount(db, kind)) {
      const old = Object.entries(record.marks).filter(([mark, at]) => at < before && !openMarks.has(mark));
      if (old.length > 0) await changeAccount(db, { kind, id: record.id }, { unset: old.map(([mark]) => `marks.${mark}` as const) });
    }
  }
}

/** Writes the entry, then applies it. */
async function enter(
  options: EntriesOptions,
  request: LedgerRequest,
  change: LedgerChange & { isBounded: boolean; revision?: number | undefined; opened?: number },
): Promise<LedgerResult> {
  const { db, now, processId, running } = options;
  const { amount, unused, isBounded, revision, opened } = change;
  const entry: LedgerRecord = {
    id: await db.nextId('ledger'),
    ref: request.ref,
    account: request.account,
    account_id: request.id,
    amount,
    kind: request.kind,
    created_at: Math.floor(now() / 1000),
    actor_id: request.actorId,
    ...(request.reason === undefined ? {} : { reason: request.reason }),
    process: processId(),
    state: 'open',
    ...(unused === undefined ? {} : { used: 0 - unused }),
    ...(opened === undefined ? {} : { used: opened, opening: true }),
    ...(revision === undefined ? {} : { revision }),
    ...(amount < 0 && !isBounded && opened === undefined && revision === undefined ? { unbounded: true } : {}),
  };
  running.add(entry.id);
  try {
    await db.collection('ledger').insert(entry);
    return await applyEntry(options, entry, isBounded);
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
    const known = await db.collection('ledger').first({ ref: request.ref });
    if (known === null) throw failure;
    if (isAbandoned(known)) return await enter(options, { ...request, ref: furtherRef(request.ref) }, change);
    return await repeatedResult(options, known);
  } finally {
    running.delete(entry.id);
  }
}

/** Reports whether recovery voided the entry. No outcome was reported, so a retry enters it again under `furtherRef`. */
function isAbandoned({ state, abandoned }: LedgerRecord): boolean {
  return state === 'void' && abandoned === true;
}

function furtherRef(ref: string): string {
  return `${ref}+`;
}

/** Entry of a reference: the last one, if it was entered again. Null if there is none. */
export async function entryOf({ db }: { db: Database }, ref: string): Promise<LedgerRecord | null> {
  const entry = await db.collection('ledger').first({ ref });
  return entry !== null && isAbandoned(entry) ? ((await entryOf({ db }, furtherRef(ref))) ?? entry) : entry;
}

async function repeatedResult(options: EntriesOptions, entry: LedgerRecord): Promise<LedgerResult> {
  const { db, processId, running } = options;
  if (entry.state === 'void') throw new AppError('balance_too_small');
  // Credits are certain to be applied. Debits may still be voided, so they are completed here: the process that began
  // one may be stalled.
  if (entry.state === 'open' && entry.amount < 0 && !running.has(entry.id)) {
    running.add(entry.id);
    try {
      const taken = await db.collection('ledger').patch({ id: entry.id, state: 'open' }, { set: { process: processId() } });
      if (taken !== null) return await applyEntry(options, taken, taken.opening !== true && taken.unbounded !== true);
    } finally {
      running.delete(entry.id);
    }
    return await repeatedResult(options, (await db.collection('ledger').get(entry.id)) ?? entry);
  }
  const record = await readAccount(db, accountOf(entry));
  return { isNew: false, amount: entry.amount, balance: record === null ? 0 : balanceOf(record) };
}

async function applyEntry(options: EntriesOptions, entry: LedgerRecord, isBounded: boolean): Promise<LedgerResult> {
  const { db } = options;
  const deadline = performance.now() + recallMs;
  let hasRecalled = false;
  for (;;) {
    const record = await applyToAccount(db, entry, { now: options.now(), isBounded });
    if (record !== null) return finish(options, entry, record);
    const current = await readAccount(db, accountOf(entry));
    const isVoided = current?.marks[voidMark(entry)] !== undefined;
    const isOvertaken = current !== null && entry.revision !== undefined && entry.revision !== current.revision;
    const isFinished = isVoided || isOvertaken || current?.marks[appliedMark(entry)] !== undefined;
    const isLeased = current !== null && leasedOf(current) > 0 && balanceOf(current) >= -entry.amount;
    if (isFinished || !isLeased || performance.now() > deadline) {
      const isVoid = await voidEntry(db, entry, options.now(), isVoided ? { abandoned: true } : {});
      // Another process declared this one dead and has applied the entry.
      if (!isVoid && current !== null) return { ...(await finish(options, entry, current)), isNew: await isStillOwner(options, entry) };
      if (isOvertaken) throw new AppError('revision_conflict');
      // Another process has voided the entry without checking the balance: the caller retries.
      if (isVoided) throw new AppError('database_unavailable', {}, { retryAfter: 1 });
      throw new AppError(current === null ? 'not_found' : entry.amount > 0 ? 'balance_too_large' : 'balance_too_small');
    }
    if (!hasRecalled) {
      hasRecalled = true;
      await options.changes.announce('lease', `${entry.account}:${entry.account_id}`);
    }
    await sleep(40);
  }
}

/** Returns false if a retry has taken the entry over; the retry then reports it as new. */
async function isStillOwner({ db }: EntriesOptions, entry: LedgerRecord): Promise<boolean> {
  return (await db.collection('ledger').get(entry.id))?.process === entry.process;
}

async function finish({ db }: EntriesOptions, entry: LedgerRecord, record: AccountRecord): Promise<LedgerResult> {
  await db.collection('ledger').patch({ id: entry.id }, { set: { state: 'done' } });
  return { isNew: true, amount: entry.amount, balance: balanceOf(record) };
}

/**
 * An entry is either applied or void: the first of these marks in the account's record decides, and there are never
 * both.
 */
function appliedMark(entry: LedgerRecord): string {
  return `e${entry.id}`;
}
function voidMark(entry: LedgerRecord): string {
  return `v${entry.id}`;
}

/** Ensures that the entry is never applied; returns false if it was. */
async function voidEntry(db: Database, entry: LedgerRecord, now: number, set: Pick<LedgerRecord, 'abandoned'> = {}): Promise<boolean> {
  const account = accountOf(entry);
  const fenced = await changeAccount(db, account, {
    where: { [`marks.${appliedMark(entry)}`]: { exists: false } },
    set: { [`marks.${voidMark(entry)}`]: now },
  });
  if (fenced === null && (await readAccount(db, account)) !== null) return false;
  await db.collection('ledger').patch({ id: entry.id, state: 'open' }, { set: { ...set, state: 'void' } });
  return true;
}

/**
 * Returns null if the account does not exist, the entry is applied, void or overtaken by another edit, the account has
 * too little outside leases (if bounded), or would overflow.
 */
async function applyToAccount(
  db: Database,
  entry: LedgerRecord,
  { now, isBounded }: { now: number; isBounded: boolean },
): Promise<AccountRecord | null> {
  const account = accountOf(entry);
  const mark = `marks.${appliedMark(entry)}` as const;
  const record = await changeAccount(db, account, {
    where: { [mark]: { exists: false }, [`marks.${voidMark(entry)}`]: { exists: false } },
    revision: entry.revision,
    quota: isBounded ? { gte: -entry.amount } : { lte: Number.MAX_SAFE_INTEGER - Math.max(0, entry.amount) },
    add: entry.amount,
    set: { [mark]: now },
    // A refund reduces the used amount as well; an opening adds to it, without a charge to this balance.
    ...(entry.used === undefined
      ? {}
      : { spending: { charge: entry.opening === true ? 0 : 0 - entry.amount, used: entry.used, calls: 0 } }),
  });
  if (record === null) return null;
  // The balance meter's full mark is the balance right after a credit, or after any edit of a token.
  if ((entry.used !== undefined && entry.opening !== true) || !accountRules[account.kind].marksFull(entry.amount)) return record;
  const full = Math.max(0, balanceOf(record));
  return (await changeAccount(db, account, { set: { full_mark: full } })) ?? record;
}

function accountOf({ account, account_id: id }: LedgerRecord): AccountRef {
  return { kind: account, id };
}

function checkAmount(amount: number): void {
  if (!Number.isSafeInteger(amount)) throw new AppError('invalid_parameter');
}
