// Leases as the database knows them. Each function is one conditional update of the account's own record: it moves money
// between `quota` and the lease, or does nothing and answers null. A network may deliver a write long after it was given up
// (what a closed connection has not sent yet is still sent), so each names its term and is nothing worth in a later one.
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Database } from '#server/db/database.ts';
import { frozenKey } from '#server/money/account.ts';
import type { AccountKind } from '#server/money/account.ts';

/** Whose lease, and of which account. */
export interface LeaseOf {
  kind: AccountKind;
  id: number;
  processId: string;
  /** The term that the record is in as far as its process knows; 0: none. */
  term: number;
}

export type AccountRecord = UserRecord | TokenRecord;

export async function readAccount(db: Database, { kind, id }: { kind: AccountKind; id: number }): Promise<AccountRecord | null> {
  return kind === 'user' ? await db.collection('users').get(id) : await db.collection('tokens').get(id);
}

/** What a record has outside all leases. */
export function quotaOf(record: AccountRecord): number {
  return 'quota' in record ? record.quota : record.remain_quota;
}

/** Opens a lease with `amount` in `newTerm`. Rows up to `lastSeq` were settled before this moment: they are not for it to apply again. */
export function openLease(
  db: Database,
  lease: LeaseOf,
  { amount, newTerm, lastSeq }: { amount: number; newTerm: number; lastSeq: number },
): Promise<AccountRecord | null> {
  const { processId } = lease;
  const field = fieldOf(lease);
  return collectionOf(db, lease).patch(
    { ...atLeast(field, amount), ...inTerm(lease), [`leases.${frozenKey(processId)}`]: { exists: false } },
    {
      increment: { [field]: -amount, [`leases.${processId}`]: amount },
      max: { [`applied.${processId}`]: lastSeq },
      set: { [`terms.${processId}`]: newTerm },
    },
  );
}

/** Moves `amount` more into an open lease. */
export function growLease(db: Database, lease: LeaseOf, amount: number): Promise<AccountRecord | null> {
  const field = fieldOf(lease);
  const name = `leases.${lease.processId}` as const;
  return collectionOf(db, lease).patch(
    { ...atLeast(field, amount), ...inTerm(lease), [name]: { exists: true } },
    { increment: { [field]: -amount, [name]: amount } },
  );
}

/**
 * Moves `amount` into an open lease although it is not there. Only where the account owes nothing yet: of all that runs at the
 * same time, in any process, one succeeds, and nobody else reserves anything until what it took is back or paid.
 */
export function overdrawLease(db: Database, lease: LeaseOf, amount: number): Promise<AccountRecord | null> {
  const field = fieldOf(lease);
  const name = `leases.${lease.processId}` as const;
  return collectionOf(db, lease).patch(
    { [field]: { gte: 0 }, ...inTerm(lease), [name]: { exists: true } },
    { increment: { [field]: -amount, [name]: amount } },
  );
}

/** Moves `amount` of an open lease back. */
export function shrinkLease(db: Database, lease: LeaseOf, amount: number): Promise<AccountRecord | null> {
  const name = `leases.${lease.processId}` as const;
  return collectionOf(db, lease).patch(
    { ...inTerm(lease), [name]: { exists: true } },
    { increment: { [fieldOf(lease)]: amount, [name]: -amount } },
  );
}

/** Takes back an opening that nothing was reserved from yet, as a whole; does nothing when it is settled already. Can be repeated. */
export function undoOpening(db: Database, lease: LeaseOf, amount: number): Promise<AccountRecord | null> {
  const { processId } = lease;
  const name = `leases.${processId}` as const;
  return collectionOf(db, lease).patch(
    { ...inTerm(lease), [name]: amount },
    { increment: { [fieldOf(lease)]: amount }, unset: [name, `applied.${processId}`, `terms.${processId}`] },
  );
}

/**
 * Removes a lease in which nothing is left. With `keepsTerm` its term stays, until the process has ended: an opening that was
 * given up, of when there was no term yet, would else be worth something again.
 */
export function closeLease(db: Database, lease: LeaseOf, keepsTerm: boolean): Promise<AccountRecord | null> {
  const { processId } = lease;
  const name = `leases.${processId}` as const;
  const fields = [name, `applied.${processId}`] as const;
  return collectionOf(db, lease).patch(
    { ...inTerm(lease), or: [{ [name]: 0 }, { [name]: { exists: false } }] },
    { unset: keepsTerm ? fields : [...fields, `terms.${processId}`] },
  );
}

/** Begins a term: whatever is still on its way to this lease from earlier ones is void. A write, so it holds whichever server fails next. */
export function beginTerm(db: Database, lease: LeaseOf, newTerm: number): Promise<AccountRecord | null> {
  const name = `terms.${lease.processId}`;
  return collectionOf(db, lease).patch(
    { id: lease.id, or: [{ [name]: { exists: false } }, { [name]: { lt: newTerm } }] },
    { set: { [name]: newTerm } },
  );
}

function inTerm({ id, processId, term }: LeaseOf): Filter<AccountRecord> {
  return { id, [`terms.${processId}`]: term === 0 ? { exists: false } : term };
}

function atLeast(field: 'quota' | 'remain_quota', amount: number): Filter<UserRecord> & Filter<TokenRecord> {
  return amount > 0 ? { [field]: { gte: amount } } : {};
}

function collectionOf(db: Database, { kind }: LeaseOf) {
  return kind === 'user' ? db.collection('users') : db.collection('tokens');
}

function fieldOf({ kind }: LeaseOf): 'quota' | 'remain_quota' {
  return kind === 'user' ? 'quota' : 'remain_quota';
}
