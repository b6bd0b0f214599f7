// Table of all accounts over a time, which adds up to the ledger: account by account as statements do, a page at a time; its sums come from separate
// queries, so that no reader has to page through all accounts.
import type { AccountBalance, BalanceSums } from '#shared/statement.ts';
import { entryKindOf } from '#server/accounts/entry-kinds.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter, GroupRow } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { chargesByUser, chargesOfAll, closedChargesByUser, closedChargesOfAll, type Taken } from '#server/logs/user-charges.ts';
import { closingKind, closingRef } from '#server/money/log-closing.ts';
import { settingAt } from '#server/settings/setting-at.ts';
import type { BookSpan } from './steady-books.ts';

type Parts = Pick<BalanceSums, 'opening' | 'top_ups' | 'adjustments' | 'refunds' | 'spent' | 'closing' | 'imported'>;

/** Accounts that were there by the end of the time. */
export function accountsOf({ to }: Pick<BookSpan, 'to'>): Filter<UserRecord> {
  return { created_time: { lt: to } };
}

export async function balancesOf(db: Database, users: readonly UserRecord[], { from, to, rows }: BookSpan): Promise<AccountBalance[]> {
  const ids = users.map(({ id }) => id);
  const ledger = db.collection('ledger');
  const own = { account: 'user', account_id: { in: ids }, state: 'done', kind: { ne: closingKind } } as const;
  const refs = ids.map((id) => closingRef({ account: 'user', id }));
  const [before, within, closings, deletedSince, deletedWithin, early, during] = await Promise.all([
    ledger.group({ filter: { ...own, created_at: { lt: from } }, by: ['account_id'], sum: { amount: 'amount' } }),
    ledger.group({ filter: { ...own, ...entriesWithin(from, to) }, by: ['account_id', 'kind'], sum: { amount: 'amount' } }),
    ledger.find({ ref: { in: refs } }),
    closedChargesByUser(db, ids, { from }),
    closedChargesByUser(db, ids, { from, to }),
    chargesByUser(db, ids, { from: 0, to: from }, rows),
    chargesByUser(db, ids, { from, to }, rows),
  ]);
  const opened = new Map(before.map((row) => [Number(row['account_id']), Number(row['amount'])]));
  for (const { account_id: id, amount } of closings) opened.set(id, (opened.get(id) ?? 0) + amount);
  const entries = Map.groupBy(within, (row) => Number(row['account_id']));
  return users.map(({ id, username, display_name, DeletedAt }) => ({
    user_id: id,
    username,
    display_name,
    is_deleted: DeletedAt !== null,
    ...partsOf((opened.get(id) ?? 0) + (deletedSince.get(id)?.charged ?? 0) - (early.get(id)?.charged ?? 0), entries.get(id) ?? [], [
      during.get(id),
      deletedWithin.get(id),
    ]),
  }));
}

export async function sumBalances(context: AppContext, { from, to, rows }: BookSpan): Promise<BalanceSums> {
  const { db } = context;
  const ledger = db.collection('ledger');
  const all = { account: 'user', state: 'done', kind: { ne: closingKind } } as const;
  const [accounts, before, within, closings, deletedSince, deletedWithin, early, during] = await Promise.all([
    db.collection('users').count(accountsOf({ to })),
    ledger.group({ filter: { ...all, created_at: { lt: from } }, by: [], sum: { amount: 'amount' } }),
    ledger.group({ filter: { ...all, ...entriesWithin(from, to) }, by: ['kind'], sum: { amount: 'amount' } }),
    ledger.group({ filter: { ...all, kind: closingKind }, by: [], sum: { amount: 'amount' } }),
    closedChargesOfAll(db, { from }),
    closedChargesOfAll(db, { from, to }),
    chargesOfAll(db, { from: 0, to: from }, rows),
    chargesOfAll(db, { from, to }, rows),
  ]);
  const opening = amountOf(before) + amountOf(closings) + deletedSince.charged - early.charged;
  const parts = partsOf(opening, within, [during, deletedWithin]);
  return { from, to, rows_from: rows, quota_per_unit: await settingAt(context, 'QuotaPerUnit', to), accounts, ...parts };
}

export const noParts: Parts = { opening: 0, top_ups: 0, adjustments: 0, refunds: 0, spent: 0, closing: 0, imported: 0 };

export function addParts(sums: Parts, more: Parts): Parts {
  return {
    opening: sums.opening + more.opening,
    top_ups: sums.top_ups + more.top_ups,
    adjustments: sums.adjustments + more.adjustments,
    refunds: sums.refunds + more.refunds,
    spent: sums.spent + more.spent,
    closing: sums.closing + more.closing,
    imported: (sums.imported ?? 0) + (more.imported ?? 0),
  };
}

function entriesWithin(from: number, to: number): Filter<LedgerRecord> {
  return { and: [{ created_at: { gte: from } }, { created_at: { lt: to } }] };
}

/** In which column entries of a kind stand; those of no other are adjustments. */
const columns: Readonly<Record<string, 'top_ups' | 'refunds' | 'spent'>> = {
  order: 'top_ups',
  redemption: 'top_ups',
  refund: 'refunds',
  storage: 'spent',
};

/** @param taken quota of calls */
function partsOf(opening: number, entries: readonly GroupRow[], taken: readonly (Taken | undefined)[]): Parts {
  const calls = taken.reduce((sum, one) => sum + (one?.charged ?? 0), 0);
  const parts = { ...noParts, opening, spent: calls, imported: taken.reduce((sum, one) => sum + (one?.imported ?? 0), 0) };
  let entered = 0;
  for (const row of entries) {
    const amount = Number(row['amount']);
    const column = columns[entryKindOf(String(row['kind']))] ?? 'adjustments';
    entered += amount;
    // Spending is reported without its sign.
    parts[column] += column === 'spent' ? -amount : amount;
  }
  return { ...parts, closing: opening + entered - calls };
}

function amountOf(rows: readonly GroupRow[]): number {
  return Number(rows[0]?.['amount'] ?? 0);
}
