// Who has a balance is an account: a user or a token. This file is the only one that knows what the two differ in, and the only
// reader and writer of their money. Everything that moves money says what it does by an `AccountChange`.
import type { Collection, Filter, Increments, Patch } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { MoneyFields } from '#server/db/records/money-fields.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Database } from '#server/db/database.ts';
import { ChangeShape } from '#server/db/repeated-change.ts';

export type AccountKind = 'user' | 'token';
export type AccountRecord = UserRecord | TokenRecord;

export interface AccountRef {
  kind: AccountKind;
  id: number;
}

/** What log rows take from an account. */
export interface Spending {
  /** Quota that leaves the balance. */
  charge: number;
  /** Quota that was used: the same, except where a token is unlimited. */
  used: number;
  calls: number;
  /** When the last of the calls began, in seconds; absent where that is not to be noted. */
  seenAt?: number;
}

/** Filters and patches of any account name these fields only. */
export type AccountFilter = Filter<MoneyFields>;
type AnyFilter = Filter<UserRecord> & Filter<TokenRecord>;
type AnyPatch = Patch<UserRecord> & Patch<TokenRecord>;
export type AccountShape = ChangeShape<'users'> | ChangeShape<'tokens'>;

interface AccountRules {
  collection: 'users' | 'tokens';
  open(db: Database): Collection<UserRecord> | Collection<TokenRecord>;
  shape(count: number, build: (numbers: readonly number[]) => { where: AnyFilter; patch: AnyPatch }): AccountShape;
  /** The quota that is outside all leases. */
  quotaField: 'quota' | 'remain_quota';
  /** Fields of a log row: whose it is, and what it takes from the balance. */
  idInRow: 'user_id' | 'token_id';
  chargeInRow: 'quota' | 'token_quota';
  /** Counters that grow with what is spent. */
  countersOf(spending: Spending): Increments<UserRecord> | Increments<TokenRecord>;
  /** The field that says when it was used last. */
  seenField: 'accessed_time' | undefined;
  /** Whether the balance after a change of so much is the new full mark. */
  marksFull(amount: number): boolean;
}

export const accountRules: Readonly<Record<AccountKind, AccountRules>> = {
  user: {
    collection: 'users',
    open: (db) => db.collection('users'),
    shape: (count, build) => new ChangeShape('users', count, build),
    quotaField: 'quota',
    idInRow: 'user_id',
    chargeInRow: 'quota',
    countersOf: ({ used, calls }) => ({ used_quota: used, request_count: calls }),
    seenField: undefined,
    marksFull: (amount) => amount >= 0,
  },
  token: {
    collection: 'tokens',
    open: (db) => db.collection('tokens'),
    shape: (count, build) => new ChangeShape('tokens', count, build),
    quotaField: 'remain_quota',
    idInRow: 'token_id',
    chargeInRow: 'token_quota',
    countersOf: ({ used, charge }) => ({ used_quota: used, charged_quota: charge }),
    seenField: 'accessed_time',
    marksFull: () => true,
  },
};

export const accountKinds: readonly AccountKind[] = ['user', 'token'];

/** Fresh money fields for a record that is about to be inserted; credit it through the ledger afterwards. */
export function emptyMoney(): MoneyFields {
  return { leases: {}, applied: {}, marks: {}, full_mark: 0 };
}

export function leasedOf(record: MoneyFields): number {
  let sum = 0;
  for (const lease of Object.values(record.leases)) sum += lease;
  return sum;
}

/** What a record has outside all leases. */
export function quotaOf(record: AccountRecord): number {
  return 'quota' in record ? record.quota : record.remain_quota;
}

/** The balance that anyone is shown, in quota: what is outside leases, and what running processes hold. Of an unlimited token it means nothing. */
export function balanceOf(record: AccountRecord): number {
  return quotaOf(record) + leasedOf(record);
}

/** What calls have taken from a limited token's balance; 0 for a user. */
export function chargedOf(record: AccountRecord): number {
  return 'charged_quota' in record ? (record.charged_quota ?? 0) : 0;
}

/** Which log rows are of that account, by an index. */
export function rowsOf(record: AccountRecord): Filter<LogRecord> {
  return 'user_id' in record ? { user_id: record.user_id, token_id: record.id } : { user_id: record.id };
}

/** The account of that kind whose row it is; 0: none. */
export function accountIdIn(row: LogRecord, kind: AccountKind): number {
  return row[accountRules[kind].idInRow];
}

/** What a row takes from the balance of its account of that kind. */
export function chargeIn(row: LogRecord, kind: AccountKind): number {
  return row[accountRules[kind].chargeInRow] ?? 0;
}

/** Under which a lease goes on in the record while the books of its dead process are settled. Process ids begin with `p`. */
export function frozenKey(processId: string): string {
  return `x${processId}`;
}

/** Whose lease that is, frozen or not. */
export function processOfLease(key: string): string {
  return key.startsWith('x') ? key.slice(1) : key;
}

export async function readAccount(db: Database, { kind, id }: AccountRef): Promise<AccountRecord | null> {
  return await accountRules[kind].open(db).get(id);
}

/** Every account of that kind that matches. Filters name money fields only. */
export function eachAccount(db: Database, kind: AccountKind, filter: AccountFilter = {}): AsyncIterable<AccountRecord> {
  return accountRules[kind].open(db).each(filter);
}

/** A change of one record that happens as a whole or not at all. Paths are of money fields. */
export interface AccountChange extends Patch<MoneyFields> {
  /** Nothing is changed unless the record is so. */
  where?: AccountFilter;
  /** … and unless the record has this revision. */
  revision?: number | undefined;
  /** … and unless the quota outside leases is so. */
  quota?: { gte?: number; lte?: number } | undefined;
  /** What is added to the quota outside leases; negative: taken. */
  add?: number;
  /** Counts what was spent. The lease that pays for it is in `increment`. */
  spending?: Spending;
}

/** Null when the account is gone or a condition does not hold. */
export function changeAccount(db: Database, account: AccountRef, change: AccountChange): Promise<AccountRecord | null> {
  return accountRules[account.kind].open(db).patch(filterOf(account, change), patchOf(account, change));
}

/** A change of any account of that kind that is made often, with other numbers. */
export function accountShape(
  kind: AccountKind,
  count: number,
  changeOf: (numbers: readonly number[]) => AccountChange & { id: number },
): AccountShape {
  return accountRules[kind].shape(count, (numbers) => {
    const { id, ...change } = changeOf(numbers);
    return { where: filterOf({ kind, id }, change), patch: patchOf({ kind }, change) };
  });
}

function filterOf({ kind, id }: AccountRef, { where, revision, quota }: AccountChange): AnyFilter {
  return {
    id,
    ...where,
    ...(revision === undefined ? {} : { revision }),
    ...(quota === undefined ? {} : { [accountRules[kind].quotaField]: quota }),
  };
}

function patchOf({ kind }: Pick<AccountRef, 'kind'>, change: AccountChange): AnyPatch {
  const { where: _, revision: _revision, quota: _quota, add, spending, increment, set, ...patch } = change;
  const { quotaField, seenField, countersOf } = accountRules[kind];
  const added = add === undefined ? increment : { ...increment, [quotaField]: add };
  if (spending === undefined) return { ...patch, ...(set && { set }), ...(added && { increment: added }) };
  const seen = seenField !== undefined && spending.seenAt !== undefined ? { [seenField]: spending.seenAt } : undefined;
  return { ...patch, set: { ...set, ...seen }, increment: { ...added, ...countersOf(spending) } };
}
