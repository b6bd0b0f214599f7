// Changes of a balance that are not relayed calls: an entry with a unique reference first, then the account, exactly once.
// A crash between the two is finished later: the entry is still open, and the account's mark tells whether it was applied.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { Patch } from '#server/db/collection.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { LedgerRecord, TokenRecord, UserRecord } from '#server/db/collections.ts';
import type { Database } from '#server/db/database.ts';
import { leasedOf } from '#server/money/account.ts';
import type { AccountKind } from '#server/money/account.ts';
import type { LedgerRequest, LedgerResult } from '#server/money/ledger.ts';

export interface EntriesOptions {
  db: Database;
  changes: ChangeFeed;
  now(): number;
  processId(): string;
}

/** How long money that idles in leases is waited for. */
const recallMs = 1_000;
/** Marks are kept this long after their entry is done: no process stalls longer between the two steps of an entry. */
const markMs = 24 * 3600 * 1000;

export async function changeBalance(options: EntriesOptions, request: LedgerRequest & { amount: number }): Promise<LedgerResult> {
  checkAmount(request.amount);
  const { entry, isNew } = await openEntry(options, request, request.amount);
  if (!isNew) return repeatedResult(options, entry);
  return applyEntry(options, entry, request.amount < 0);
}

export async function setBalance(
  options: EntriesOptions,
  request: LedgerRequest & { balance: number; knownUsed?: number },
): Promise<LedgerResult> {
  checkAmount(request.balance);
  const record = await readAccount(options.db, request.account, request.id);
  if (record === null) throw new AppError('not_found');
  // Spending moves money from the balance to `used_quota`: their sum only changes by edits.
  const spentSince = request.knownUsed === undefined ? 0 : record.used_quota - request.knownUsed;
  const amount = request.balance - spentSince - balanceOf(request.account, record);
  if (amount === 0) return { isNew: true, amount: 0, balance: balanceOf(request.account, record) };
  const { entry, isNew } = await openEntry(options, request, amount);
  if (!isNew) return repeatedResult(options, entry);
  // What running calls have reserved may stand against the target; it settles against it.
  return applyEntry(options, entry, false);
}

/** Finishes the entries that a process left open; called once it cannot be running any more. */
export async function finishOpenEntries(options: { db: Database; now(): number }, processId: string): Promise<void> {
  const entries = options.db.collection('ledger');
  for await (const entry of entries.each({ state: 'open' })) {
    if (entry.process !== processId) continue;
    const record = await readAccount(options.db, entry.account, entry.account_id);
    const isApplied = record !== null && record.marks[`e${entry.id}`] !== undefined;
    if (!isApplied && (record === null || entry.amount < 0)) {
      // Nothing was taken, and whoever asked was told nothing: it did not happen.
      await entries.patch({ id: entry.id, state: 'open' }, { set: { state: 'void' } });
      continue;
    }
    if (!isApplied) await applyToAccount(options.db, entry, { now: options.now(), isBounded: false });
    await entries.patch({ id: entry.id, state: 'open' }, { set: { state: 'done' } });
  }
}

/** Removes marks of entries that are long done. */
export async function removeOldMarks(options: { db: Database; now(): number }): Promise<void> {
  const before = options.now() - markMs;
  for (const kind of ['user', 'token'] as const) {
    const collection = kind === 'user' ? options.db.collection('users') : options.db.collection('tokens');
    for await (const record of collection.each({})) {
      const old = Object.entries(record.marks).filter(([, at]) => at < before);
      if (old.length > 0) await collection.patch({ id: record.id }, { unset: old.map(([mark]) => `marks.${mark}`) });
    }
  }
}

async function openEntry(
  { db, now, processId }: EntriesOptions,
  request: LedgerRequest,
  amount: number,
): Promise<{ entry: LedgerRecord; isNew: boolean }> {
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
  try {
    await db.collection('ledger').insert(entry);
    return { entry, isNew: true };
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
    const known = await db.collection('ledger').first({ ref: request.ref });
    if (known === null) throw failure;
    return { entry: known, isNew: false };
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
    if (record !== null) {
      await db.collection('ledger').patch({ id: entry.id }, { set: { state: 'done' } });
      return { isNew: true, amount: entry.amount, balance: balanceOf(entry.account, record) };
    }
    const current = await readAccount(db, entry.account, entry.account_id);
    const isLeased = current !== null && leasedOf(current) > 0 && balanceOf(entry.account, current) >= -entry.amount;
    if (!isLeased || performance.now() > deadline) {
      await db.collection('ledger').patch({ id: entry.id, state: 'open' }, { set: { state: 'void' } });
      throw new AppError(current === null ? 'not_found' : entry.amount > 0 ? 'balance_too_large' : 'balance_too_small');
    }
    if (!hasRecalled) {
      hasRecalled = true;
      await options.changes.announce('lease', `${entry.account}:${entry.account_id}`);
    }
    await sleep(40);
  }
}

/** Null when the account is gone, has been given this entry already, has too little outside leases (if bounded) or would overflow. */
async function applyToAccount(
  db: Database,
  entry: LedgerRecord,
  { now, isBounded }: { now: number; isBounded: boolean },
): Promise<UserRecord | TokenRecord | null> {
  const field = entry.account === 'user' ? 'quota' : 'remain_quota';
  const mark = `marks.e${entry.id}`;
  const collection = entry.account === 'user' ? db.collection('users') : db.collection('tokens');
  const patch: Patch = { increment: { [field]: entry.amount }, set: { [mark]: now } };
  const bound = isBounded ? { gte: -entry.amount } : { lte: Number.MAX_SAFE_INTEGER - Math.max(0, entry.amount) };
  const record = await collection.patch({ id: entry.account_id, [mark]: { exists: false }, [field]: bound }, patch);
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
