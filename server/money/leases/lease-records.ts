// Leases as the database knows them. Each function is one conditional update of the account's own record: it moves money
// between the account's quota and the lease, or does nothing and returns null. A network may deliver a write long after it was
// given up (what a closed connection has not sent yet is still sent), so each write carries a fencing token and does nothing once
// the record has another one (decision 3).
import type { Database } from '#server/db/database.ts';
import { changeAccount, frozenKey } from '#server/money/account.ts';
import type { AccountFilter, AccountRecord, AccountRef } from '#server/money/account.ts';

/** The lease of a process on an account. */
export interface LeaseRef extends AccountRef {
  processId: string;
  /** The one in the record as far as the process knows; 0: none. */
  fencingToken: number;
}

/** Opens a lease of `amount`. Rows up to `lastSeq` are marked as applied: they were settled before. */
export function openLease(
  db: Database,
  lease: LeaseRef,
  { amount, newFencingToken, lastSeq }: { amount: number; newFencingToken: number; lastSeq: number },
): Promise<AccountRecord | null> {
  const { processId } = lease;
  return changeAccount(db, lease, {
    where: { ...hasFencingToken(lease), [`leases.${frozenKey(processId)}`]: { exists: false } },
    quota: atLeast(amount),
    add: -amount,
    increment: { [`leases.${processId}`]: amount },
    max: { [`applied.${processId}`]: lastSeq },
    set: { [`fencing_tokens.${processId}`]: newFencingToken },
  });
}

/** Moves `amount` more into an open lease. */
export function growLease(db: Database, lease: LeaseRef, amount: number): Promise<AccountRecord | null> {
  return changeAccount(db, lease, { ...intoLease(lease, amount), quota: atLeast(amount) });
}

/**
 * Moves `amount` into an open lease although the account does not have it. Only where the account owes nothing: of all calls at
 * the same time, in all processes, one succeeds, and no other reserves anything until the debt is paid or given back.
 */
export function overdrawLease(db: Database, lease: LeaseRef, amount: number): Promise<AccountRecord | null> {
  return changeAccount(db, lease, { ...intoLease(lease, amount), quota: { gte: 0 } });
}

/** Moves `amount` of an open lease back. */
export function shrinkLease(db: Database, lease: LeaseRef, amount: number): Promise<AccountRecord | null> {
  return changeAccount(db, lease, intoLease(lease, -amount));
}

/** Takes back the opening of a lease from which nothing was reserved yet. Does nothing when the lease is settled already; can be repeated. */
export function undoOpening(db: Database, lease: LeaseRef, amount: number): Promise<AccountRecord | null> {
  const { processId } = lease;
  const name = `leases.${processId}` as const;
  return changeAccount(db, lease, {
    where: { ...hasFencingToken(lease), [name]: amount },
    add: amount,
    unset: [name, `applied.${processId}`, `fencing_tokens.${processId}`],
  });
}

/**
 * Removes a lease in which nothing is left. With `keepsFencingToken` the token stays until the process has ended: without it, an
 * opening that was given up and arrives late would be carried out.
 */
export function closeLease(db: Database, lease: LeaseRef, storesFencingToken: boolean): Promise<AccountRecord | null> {
  const { processId } = lease;
  const name = `leases.${processId}` as const;
  const fields = [name, `applied.${processId}`] as const;
  return changeAccount(db, lease, {
    where: { ...hasFencingToken(lease), or: [{ [name]: 0 }, { [name]: { exists: false } }] },
    unset: storesFencingToken ? fields : [...fields, `fencing_tokens.${processId}`],
  });
}

/** Writes with a smaller fencing token do nothing from here on. It is a write, so it still holds when the database fails over. */
export function raiseFencingToken(db: Database, lease: LeaseRef, newFencingToken: number): Promise<AccountRecord | null> {
  const name = `fencing_tokens.${lease.processId}` as const;
  return changeAccount(db, lease, {
    where: { or: [{ [name]: { exists: false } }, { [name]: { lt: newFencingToken } }] },
    set: { [name]: newFencingToken },
  });
}

function intoLease(lease: LeaseRef, amount: number) {
  const name = `leases.${lease.processId}` as const;
  return { where: { ...hasFencingToken(lease), [name]: { exists: true } }, add: -amount, increment: { [name]: amount } };
}

function hasFencingToken({ processId, fencingToken }: LeaseRef): AccountFilter {
  return { [`fencing_tokens.${processId}`]: fencingToken === 0 ? { exists: false } : fencingToken };
}

function atLeast(amount: number): { gte: number } | undefined {
  return amount > 0 ? { gte: amount } : undefined;
}
