// What a balance is: a record's own quota plus what running processes hold of it as leases.
import type { MoneyFields } from '#server/db/records/money-fields.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

export type AccountKind = 'user' | 'token';

/** Fresh money fields for a record that is about to be inserted; credit it through the ledger afterwards. */
export function emptyMoney(): MoneyFields {
  return { leases: {}, applied: {}, marks: {}, full_mark: 0 };
}

export function leasedOf(record: MoneyFields): number {
  let sum = 0;
  for (const lease of Object.values(record.leases)) sum += lease;
  return sum;
}

/** Under which a lease goes on in the record while the books of its dead process are settled. Process ids begin with `p`. */
export function frozenKey(processId: string): string {
  return `x${processId}`;
}

/** Whose lease that is, frozen or not. */
export function processOfLease(key: string): string {
  return key.startsWith('x') ? key.slice(1) : key;
}

/** The balance that anyone is shown, in quota. */
export function userBalance(user: UserRecord): number {
  return user.quota + leasedOf(user);
}

/** The balance of a token, in quota; meaningless while it is unlimited. */
export function tokenBalance(token: TokenRecord): number {
  return token.remain_quota + leasedOf(token);
}
