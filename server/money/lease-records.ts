// Leases as the database knows them. Each function is one conditional update of the account's own record: it moves money
// between `quota` and the lease, or does nothing and answers null.
import type { TokenRecord, UserRecord } from '#server/db/collections.ts';
import type { Database } from '#server/db/database.ts';
import { frozenKey } from '#server/money/account.ts';
import type { AccountKind } from '#server/money/account.ts';

export interface LeaseOf {
  readonly kind: AccountKind;
  readonly id: number;
}

export type AccountRecord = UserRecord | TokenRecord;

export async function readAccount(db: Database, { kind, id }: LeaseOf): Promise<AccountRecord | null> {
  return kind === 'user' ? await db.collection('users').get(id) : await db.collection('tokens').get(id);
}

/** What a record has outside all leases. */
export function quotaOf(record: AccountRecord): number {
  return 'quota' in record ? record.quota : record.remain_quota;
}

/** Opens a lease with `amount`. Rows up to `lastSeq` were settled before this moment: they are not for it to apply again. */
export function openLease(
  db: Database,
  account: LeaseOf,
  { processId, amount, lastSeq }: { processId: string; amount: number; lastSeq: number },
): Promise<AccountRecord | null> {
  const field = fieldOf(account);
  return collectionOf(db, account).patch(
    {
      id: account.id,
      ...(amount > 0 ? { [field]: { gte: amount } } : {}),
      [`leases.${frozenKey(processId)}`]: { exists: false },
    },
    {
      increment: { [field]: -amount, [`leases.${processId}`]: amount },
      max: { [`applied.${processId}`]: lastSeq },
    },
  );
}

/** Moves `amount` more into an open lease. */
export function growLease(db: Database, account: LeaseOf, processId: string, amount: number): Promise<AccountRecord | null> {
  const field = fieldOf(account);
  const lease = `leases.${processId}`;
  return collectionOf(db, account).patch(
    { id: account.id, ...(amount > 0 ? { [field]: { gte: amount } } : {}), [lease]: { exists: true } },
    { increment: { [field]: -amount, [lease]: amount } },
  );
}

/** Moves `amount` of an open lease back. */
export function shrinkLease(db: Database, account: LeaseOf, processId: string, amount: number): Promise<AccountRecord | null> {
  const lease = `leases.${processId}`;
  return collectionOf(db, account).patch(
    { id: account.id, [lease]: { exists: true } },
    { increment: { [fieldOf(account)]: amount, [lease]: -amount } },
  );
}

/** Removes a lease in which nothing is left. */
export function closeLease(db: Database, account: LeaseOf, processId: string): Promise<AccountRecord | null> {
  const lease = `leases.${processId}`;
  return collectionOf(db, account).patch({ id: account.id, [lease]: 0 }, { unset: [lease, `applied.${processId}`] });
}

function collectionOf(db: Database, { kind }: LeaseOf) {
  return kind === 'user' ? db.collection('users') : db.collection('tokens');
}

function fieldOf({ kind }: LeaseOf): 'quota' | 'remain_quota' {
  return kind === 'user' ? 'quota' : 'remain_quota';
}
