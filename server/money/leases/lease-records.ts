// Lease operations in the database. Each function is one conditional update of the account's record: it moves money
// between the account's quota and the lease, or has no effect and returns null. A write may arrive long after it was
// abandoned (unsent data of a closed connection is still sent), so each carries a fencing token and has no effect once
// the record has another one (decision 3).
import type { Database } from '#server/db/database.ts';
import { type AccountFilter, type AccountRecord, type AccountRef, changeAccount, frozenKey } from '#server/money/account.ts';

/** Lease of a process on an account. */
export interface LeaseRef extends AccountRef {
  processId: string;
  /** Token in the record as far as the process knows; 0 for none. */
  fencingToken: number;
}

/** Opens a lease of `amount`. Rows up to `lastSeq` are marked as applied, because they were settled before. */
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
    opensLease: true,
  });
}

/** Moves `amount` more into an open lease. */
export function growLease(db: Database, lease: LeaseRef, amount: number): Promise<AccountRecord | null> {
  return changeAccount(db, lease, { ...intoLease(lease, amount), quota: atLeast(amount) });
}

/**
 * Moves `amount` into an open lease beyond the balance. Requires an account without debt: of all concurrent calls in
 * all processes, one succeeds, and no other reserves anything until the debt is paid or returned.
 */
export function overdrawLease(db: Database, lease: LeaseRef, amount: number): Promise<AccountRecord | null> {
  return changeAccount(db, lease, { ...intoLease(lease, amount), quota: { gte: 0 } });
}

/** Moves `amount` of an open lease back. */
export function shrinkLease(db: Database, lease: LeaseRef, amount: number): Promise<AccountRecord | null> {
  return changeAccount(db, lease, intoLease(lease, -amount));
}

/** Reverts the opening of a lease before any reservation. Has no effect if the lease is settled; idempotent. */
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
 * Removes an empty lease. With `retainsFencingToken`, the token remains until the process has ended, so that an
 * abandoned opening that arrives late has no effect.
 */
export function closeLease(db: Database, lease: LeaseRef, retainsFencingToken: boolean): Promise<AccountRecord | null> {
  const { processId } = lease;
  const name = `leases.${processId}` as const;
  const fields = [name, `applied.${processId}`] as const;
  return changeAccount(db, lease, {
    where: { ...hasFencingToken(lease), or: [{ [name]: 0 }, { [name]: { exists: false } }] },
    unset: retainsFencingToken ? fields : [...fields, `fencing_tokens.${processId}`],
  });
}

/** Makes writes with a smaller fencing token ineffective. Durable across a failover, because it is a write. */
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
