// Changes of a balance that are not relayed calls: an entry with a unique reference first, then the account, exactly once.
// A crash between the two is finished later: the entry is still open, and the account's mark tells whether it was applied.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import { DatabaseUnavailable, UniqueConflict } from '#server/db/collection.ts';
import type { Patch } from '#server/db/collection.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Database } from '#server/db/database.ts';
import { leasedOf } from '#server/money/account.ts';
import type { AccountKind } from '#server/money/account.ts';
import type { BalanceTarget, LedgerRequest, LedgerResult } from '#server/money/ledger.ts';

export interface EntriesOptions {
  db: Database;
  changes: ChangeFeed;
  now(): number;
  processId(): string;
  /** Ids of the entries that this process is applying right now. */
  running: Set<number>;
}

/** How long money that idles in leases is waited for. */
const recallMs = 1_000;
/** Marks are kept this long after their entry is done: no process stalls longer between the two steps of an entry. */
const markMs = 24 * 3600 * 1000;

export async function changeBalance(options: EntriesOptions, request: LedgerRequest & { amount: number }): Promise<LedgerResult> {
  checkAmount(request.amount);
  return enter(options, request, { amount: request.amount, isBounded: request.amount < 0 });
}

export async function setBalance(options: EntriesOptions, request: LedgerRequest & BalanceTarget): Promise<LedgerResult> {
  checkAmount(request.balance);
  const record = await readAccount(options.db, request.account, request.id);
  if (record === null) throw new AppError('not_found');
  const amount = request.balance - spentSince(record, request) - balanceOf(request.account, record);
  if (amount === 0) return { isNew: true, amount: 0, balance: balanceOf(request.account, record) };
  // What running calls have reserved may stand against the target; it settles against it.
  const result = await enter(options, request, { amount, isBounded: false });
  // Idle leases would be spent beyond it.
  if (amount < 0 && leasedOf(record) > 0) await options.changes.announce('lease', `${request.account}:${request.id}`);
  return result;
}

/** Spending moves money from the balance to `used_quota`, or `charged_quota`: their sum only changes by edits. */
function spentSince(record: UserRecord | TokenRecord, { knownUsed, knownCharged }: BalanceTarget): number {
  if (knownCharged !== undefined) return ('charged_quota' in record ? (record.charged_quota ?? 0) : 0) - knownCharged;
  return knownUsed === undefined ? 0 : record.used_quota - knownUsed;
}

/** Finishes the entries that a process left open and that nobody is at: `running` are those that it is at itself. */
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
      // One that is refused must not keep the others from being finished.
      refused ??= failure;
    }
  }
  if (refused !== undefined) throw new Error('A ledger entry could not be finished', { cause: refused });
}

async function finishEntry(db: Database, entry: LedgerRecord, now: number): Promise<void> {
  // Nothing was taken, and whoever asked was told nothing: it did not happen.
  if (entry.amount < 0 && (await voidEntry(db, entry, now))) return;
  const isApplied = entry.amount < 0 || (await applyToAccount(db, entry, { now, isBounded: false })) !== null;
  // Null: given before, voided, or not possible any more.
  if (!isApplied && (await voidEntry(db, entry, now))) return;
  await db.collection('ledger').patch({ id: entry.id, state: 'open' }, { set: { state: 'done' } });
}

/** Removes marks of entries that are long done. */
export async function removeOldMarks(options: { db: Database; now(): number }): Promise<void> {
  const before = options.now() - markMs;
  for (const kind of ['user', 'token'] as const) {
    const collection = kind === 'user' ? options.db.collection('users') : options.db.collection('tokens');
    for await (const record of collection.each({})) {
      const old = Object.entries(record.marks).filter(([, at]) => at < before);
      if (old.length > 0) await collection.patch({ id: record.id }, { unset: old.map(([mark]) => `marks.${mark}` as const) });
    }
  }
}

/** Writes the entry, then applies it. */
async function enter(
  options: EntriesOptions,
  request: LedgerRequest,
  { amount, isBounded }: { amount: number; isBounded: boolean },
): Promise<LedgerResult> {
  const { db, now, processId, running } = options;
  const entry: LedgerRecord = {
    id: await db.nextId('ledger'),
    ref: request.ref,
    account: request.account,
    account_id: request.id,
    amount,
    kind: request.kind,
    created_at: Math.floor(now() / 1000),
    actor_id: request.actorId,
    process: processId(),
    state: 'open',
  };
  running.add(entry.id);
  try {
    await db.collection('ledger').insert(entry);
    return await applyEntry(options, entry, isBounded);
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
    const known = await db.collection('ledger').first({ ref: request.ref });
    if (known === null) throw failure;
    return await repeatedResult(options, known);
  } finally {
    running.delete(entry.id);
  }
}

async function repeatedResult({ db }: EntriesOptions, entry: LedgerRecord): Promise<LedgerResult> {
  const record = await readAccount(db, entry.account, entry.account_id);
  if (entry.state === 'void') throw new AppError('balance_too_small');
  return { isNew: false, amount: entry.amount, balance: record === null ? 0 : balanceOf(entry.account, record) };
}

async function applyEntry(options: EntriesOptions, entry: LedgerRecord, isBounded: boolean): Promise<LedgerResult> {
  const { db } = options;
  const deadline = performance.now() + recallMs;
  let hasRecalled = false;
  for (;;) {
    const record = await applyToAccount(db, entry, { now: options.now(), isBounded });
    if (record !== null) return finish(options, entry, record);
    const current = await readAccount(db, entry.account, entry.account_id);
    const isFinished = current !== null && (current.marks[appliedMark(entry)] ?? current.marks[voidMark(entry)]) !== undefined;
    const isLeased = current !== null && leasedOf(current) > 0 && balanceOf(entry.account, current) >= -entry.amount;
    if (isFinished || !isLeased || performance.now() > deadline) {
      const isVoid = await voidEntry(db, entry, options.now());
      // Who took this process for dead has applied it.
      if (!isVoid && current !== null) return finish(options, entry, current);
      throw new AppError(current === null ? 'not_found' : entry.amount > 0 ? 'balance_too_large' : 'balance_too_small');
    }
    if (!hasRecalled) {
      hasRecalled = true;
      await options.changes.announce('lease', `${entry.account}:${entry.account_id}`);
    }
    await sleep(40);
  }
}

async function finish({ db }: EntriesOptions, entry: LedgerRecord, record: UserRecord | TokenRecord): Promise<LedgerResult> {
  await db.collection('ledger').patch({ id: entry.id }, { set: { state: 'done' } });
  return { isNew: true, amount: entry.amount, balance: balanceOf(entry.account, record) };
}

/** The account's record says which of the two happened to an entry: whoever is first decides, and both never do. */
function appliedMark(entry: LedgerRecord): string {
  return `e${entry.id}`;
}
function voidMark(entry: LedgerRecord): string {
  return `v${entry.id}`;
}

/** Makes sure that the entry never comes about; false when it has. */
async function voidEntry(db: Database, entry: LedgerRecord, now: number): Promise<boolean> {
  const collection = entry.account === 'user' ? db.collection('users') : db.collection('tokens');
  const fenced = await collection.patch(
    { id: entry.account_id, [`marks.${appliedMark(entry)}`]: { exists: false } },
    { set: { [`marks.${voidMark(entry)}`]: now } },
  );
  if (fenced === null && (await readAccount(db, entry.account, entry.account_id)) !== null) return false;
  await db.collection('ledger').patch({ id: entry.id, state: 'open' }, { set: { state: 'void' } });
  return true;
}

/** Null when the account is gone, the entry has been applied or voided already, the account has too little outside leases (if bounded) or would overflow. */
async function applyToAccount(
  db: Database,
  entry: LedgerRecord,
  { now, isBounded }: { now: number; isBounded: boolean },
): Promise<UserRecord | TokenRecord | null> {
  const field = entry.account === 'user' ? 'quota' : 'remain_quota';
  const mark = `marks.${appliedMark(entry)}`;
  const isUndecided = { [mark]: { exists: false }, [`marks.${voidMark(entry)}`]: { exists: false } };
  const collection = entry.account === 'user' ? db.collection('users') : db.collection('tokens');
  const patch: Patch<UserRecord> & Patch<TokenRecord> = { increment: { [field]: entry.amount }, set: { [mark]: now } };
  const bound = isBounded ? { gte: -entry.amount } : { lte: Number.MAX_SAFE_INTEGER - Math.max(0, entry.amount) };
  const record = await collection.patch({ id: entry.account_id, ...isUndecided, [field]: bound }, patch);
  if (record === null) return null;
  // The full mark is what the level is drawn against: the balance right after a credit, or after any edit of a token.
  if (entry.amount < 0 && entry.account === 'user') return record;
  const full = Math.max(0, balanceOf(entry.account, record));
  return (await collection.patch({ id: entry.account_id }, { set: { full_mark: full } })) ?? record;
}

async function readAccount(db: Database, kind: AccountKind, id: number): Promise<UserRecord | TokenRecord | null> {
  return kind === 'user' ? await db.collection('users').get(id) : await db.collection('tokens').get(id);
}

function balanceOf(kind: AccountKind, record: UserRecord | TokenRecord): number {
  const own = kind === 'user' && 'quota' in record ? record.quota : 'remain_quota' in record ? record.remain_quota : 0;
  return own + leasedOf(record);
}

function checkAmount(amount: number): void {
  if (!Number.isSafeInteger(amount)) throw new AppError('invalid_parameter');
}
