// Accounts: users and tokens, which have a balance, and periods of budgets, from which the same charges are subtracted. The only file
// that handles their differences, and the only reader and writer of their money. All money moves by an `AccountChange`.
import type { Collection, Filter, Increments, Patch } from '#server/db/collection.ts';
import type { BudgetPeriodRecord } from '#server/db/records/budget-period.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { MoneyFields } from '#server/db/records/money-fields.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Database } from '#server/db/database.ts';
import { ChangeShape } from '#server/db/repeated-change.ts';

export type AccountKind = 'user' | 'token' | 'budget';
export type AccountRecord = UserRecord | TokenRecord | BudgetPeriodRecord;

export interface AccountRef {
  kind: AccountKind;
  id: number;
}

/** Amounts that log rows take from an account. */
export interface Spending {
  /** Quota charged to the balance. */
  charge: number;
  /** Quota used: equal to `charge`, except for unlimited tokens. */
  used: number;
  calls: number;
  /** Start of the last call, in seconds; undefined if not to be recorded. */
  seenAt?: number;
}

/** Filters and patches of accounts use these fields only. */
export type AccountFilter = Filter<MoneyFields>;
type AnyFilter = Filter<UserRecord> & Filter<TokenRecord> & Filter<BudgetPeriodRecord>;
type AnyPatch = Patch<UserRecord> & Patch<TokenRecord> & Patch<BudgetPeriodRecord>;
type AccountCollection = 'users' | 'tokens' | 'budget_periods';
export type AccountShape = ChangeShape<'users'> | ChangeShape<'tokens'> | ChangeShape<'budget_periods'>;

interface AccountRules {
  collection: AccountCollection;
  open(db: Database): Collection<UserRecord> | Collection<TokenRecord> | Collection<BudgetPeriodRecord>;
  shape(count: number, build: (numbers: readonly number[]) => { where: AnyFilter; patch: AnyPatch }): AccountShape;
  /** Quota outside all leases. */
  quotaField: 'quota' | 'remain_quota';
  /** Fields of a log row: the account's id, of budgets a list of ids (`accountIdsIn`), and the charge to its balance. */
  idInRow: 'user_id' | 'token_id' | 'budgets';
  chargeInRow: 'quota' | 'token_quota';
  /** Counters that spending increases. */
  countersOf(spending: Spending): Increments<UserRecord> | Increments<TokenRecord> | Increments<BudgetPeriodRecord>;
  /** Field with the time of the last use. */
  seenField: 'accessed_time' | undefined;
  /** Reports whether the balance after a change of this amount is the new full mark. */
  marksFull(amount: number): boolean;
  /** Set by the opening of a lease; only records with it can have leases. If undefined, all can. */
  withLeases?: { active: 1 };
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
  budget: {
    collection: 'budget_periods',
    open: (db) => db.collection('budget_periods'),
    shape: (count, build) => new ChangeShape('budget_periods', count, build),
    quotaField: 'quota',
    idInRow: 'budgets',
    chargeInRow: 'quota',
    countersOf: ({ used, calls }) => ({ used_quota: used, calls }),
    seenField: undefined,
    marksFull: () => false,
    // There are many more ended periods than others.
    withLeases: { active: 1 },
  },
};

export const accountKinds: readonly AccountKind[] = ['user', 'token', 'budget'];

/** Initial money fields of a new record. A first balance is credited through the ledger afterwards. */
export function emptyMoney(): MoneyFields {
  return { leases: {}, applied: {}, marks: {}, full_mark: 0 };
}

export function leasedOf(record: MoneyFields): number {
  let sum = 0;
  for (const lease of Object.values(record.leases)) sum += lease;
  return sum;
}

/** Quota of a record outside all leases. */
export function quotaOf(record: AccountRecord): number {
  return 'quota' in record ? record.quota : record.remain_quota;
}

/** Displayed balance in quota: outside leases, plus all leases. Meaningless for an unlimited token. */
export function balanceOf(record: AccountRecord): number {
  return quotaOf(record) + leasedOf(record);
}

/** Total that calls have charged to a limited token's balance; 0 for a user. */
export function chargedOf(record: AccountRecord): number {
  return 'charged_quota' in record ? (record.charged_quota ?? 0) : 0;
}

/** First credit of a record that is not a ledger entry: the amount of a budget's period. */
export function openedOf(record: AccountRecord): number {
  return 'opened' in record ? record.opened : 0;
}

/**
 * Filter for the log rows of the account: by an index, except for a budget's period that counts the calls of several users. Budgets have no index of
 * their own, because every call with a budget would write one more page for the sake of the audit.
 */
export async function rowsOf(db: Database, kind: AccountKind, record: AccountRecord): Promise<Filter<LogRecord>> {
  if (kind === 'user') return { user_id: record.id };
  if (kind === 'token' && 'user_id' in record) return { user_id: record.user_id, token_id: record.id };
  const ofUser: Filter<LogRecord> = 'user_id' in record && record.user_id !== 0 ? { user_id: record.user_id } : {};
  const lists = await db.collection('logs').group({ filter: { ...ofUser, budgets: { exists: true } }, by: ['budgets'] });
  const ofRecord = lists.map((row) => String(row['budgets'])).filter((list) => idsIn(list).includes(record.id));
  return { ...ofUser, budgets: { in: ofRecord } };
}

/** Account ids of that kind in a row. */
export function accountIdsIn(row: LogRecord, kind: AccountKind): readonly number[] {
  return idsIn(row[accountRules[kind].idInRow]);
}

/** Account ids in the field `idInRow` of a row or of a sum. */
export function idsIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return value === 0 ? noIds : [value];
  return typeof value === 'string' && value !== '' ? value.split(',').map(Number) : noIds;
}

const noIds: readonly number[] = [];

/** Field `budgets` of a row that is charged to those periods. */
export function budgetList(ids: readonly number[]): string {
  return [...new Set(ids)].toSorted((a, b) => a - b).join(',');
}

/** Charge of a row to its account of that kind. */
export function chargeIn(row: LogRecord, kind: AccountKind): number {
  return row[accountRules[kind].chargeInRow] ?? 0;
}

/** Amounts that the stored log rows take from each account of that kind. */
export async function spendsOf(db: Database, kind: AccountKind): Promise<Map<number, Pick<Spending, 'charge' | 'used'>>> {
  const { idInRow, chargeInRow } = accountRules[kind];
  const filter: Filter<LogRecord> = { process: { exists: true }, ...(kind === 'budget' ? { budgets: { exists: true } } : {}) };
  const rows = await db.collection('logs').group({ filter, by: [idInRow], sum: { charge: chargeInRow, used: 'quota' } });
  const sums = new Map<number, Pick<Spending, 'charge' | 'used'>>();
  for (const row of rows) {
    for (const id of idsIn(row[idInRow])) {
      const { charge, used } = sums.get(id) ?? { charge: 0, used: 0 };
      sums.set(id, { charge: charge + Number(row['charge']), used: used + Number(row['used']) });
    }
  }
  return sums;
}

/** Key of a lease in the record while the books of its dead process are settled. Process ids begin with `p`. */
export function frozenKey(processId: string): string {
  return `x${processId}`;
}

/** Process of a lease, frozen or not. */
export function processOfLease(key: string): string {
  return key.startsWith('x') ? key.slice(1) : key;
}

export async function readAccount(db: Database, { kind, id }: AccountRef): Promise<AccountRecord | null> {
  return await accountRules[kind].open(db).get(id);
}

/** All matching accounts of that kind. Filters use money fields only. */
export function eachAccount(db: Database, kind: AccountKind, filter: AccountFilter = {}): AsyncIterable<AccountRecord> {
  return accountRules[kind].open(db).each(filter);
}

/** Accounts of that kind that can have leases and match. */
export function eachWithLeases(db: Database, kind: AccountKind, filter: AccountFilter): AsyncIterable<AccountRecord> {
  const { open, withLeases } = accountRules[kind];
  return open(db).each({ ...withLeases, ...filter });
}

/** An atomic change of one record. Paths are of money fields. */
export interface AccountChange extends Patch<MoneyFields> {
  /** Condition on the record. */
  where?: AccountFilter;
  /** Required revision of the record. */
  revision?: number | undefined;
  /** Required range of the quota outside leases. */
  quota?: { gte?: number; lte?: number } | undefined;
  /** Amount added to the quota outside leases; negative to subtract. */
  add?: number;
  /** Counts spending. The lease that pays for it is in `increment`. */
  spending?: Spending;
  /** The change opens a lease. */
  opensLease?: true;
}

/** Returns null if the account does not exist or a condition fails. */
export function changeAccount(db: Database, account: AccountRef, change: AccountChange): Promise<AccountRecord | null> {
  return accountRules[account.kind].open(db).patch(filterOf(account, change), patchOf(account, change));
}

/**
 * Shape of a change that is repeated often, for accounts of that kind. An engine compiles it once.
 * @param count number of varying numbers
 * @param changeOf builds the change; it must use the numbers unmodified
 */
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
  const { where: _, revision: _revision, quota: _quota, add, spending, increment, opensLease, set: setByChange, ...patch } = change;
  const { quotaField, seenField, countersOf, withLeases } = accountRules[kind];
  const set = opensLease === true && withLeases !== undefined ? { ...setByChange, ...withLeases } : setByChange;
  const added = add === undefined ? increment : { ...increment, [quotaField]: add };
  if (spending === undefined) return { ...patch, ...(set && { set }), ...(added && { increment: added }) };
  const seen = seenField !== undefined && spending.seenAt !== undefined ? { [seenField]: spending.seenAt } : undefined;
  return { ...patch, set: { ...set, ...seen }, increment: { ...added, ...countersOf(spending) } };
}
