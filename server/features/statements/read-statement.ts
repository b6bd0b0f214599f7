// Builds a statement from the books: the sum of the ledger's entries, less the cost of calls. Both sides are counted forward from the account's first
// entry, so two consecutive statements agree, also under load.
import type { Statement } from '#shared/statement.ts';
import { entryKindOf } from '#server/accounts/entry-kinds.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { addCharges, chargesOfUser, closedCharges, type ModelCharges } from '#server/logs/user-charges.ts';
import { periodOf } from '#server/money/closed-periods.ts';
import { closingKind, closingRef } from '#server/money/log-closing.ts';
import { settingAt } from '#server/settings/setting-at.ts';
import { type BookSpan, checkedSpan, onSteadyBooks, type RequestedSpan, spanWithin } from './steady-books.ts';

/** As many of each are shown by themselves. */
const mostEntries = 500;
const mostModels = 200;

/** @throws {AppError} `invalid_field`, `log_deletion_running` */
export function readStatement(context: AppContext, user: UserRecord, requested: RequestedSpan): Promise<Statement> {
  const { db, now } = context;
  const { from, to } = checkedSpan(requested, Math.floor(now() / 1000));
  return onSteadyBooks(db, async (bounds) => {
    const { id, username, display_name } = user;
    // Nothing was before the account, so its first period is known whole.
    const begun = user.created_time - 1;
    const span = spanWithin({ from: from > begun ? from : periodOf(begun), to }, bounds);
    const counted = await count(db, user, { begun, span });
    const quota_per_unit = await settingAt(context, 'QuotaPerUnit', counted.to);
    return { user_id: id, username, display_name, quota_per_unit, ...counted };
  });
}

type Counted = Omit<Statement, 'user_id' | 'username' | 'display_name' | 'quota_per_unit'>;

async function count(db: Database, user: UserRecord, { begun, span }: { begun: number; span: BookSpan }): Promise<Counted> {
  const { from, to, rows } = span;
  const ledger = db.collection('ledger');
  const own = { account: 'user', account_id: user.id, state: 'done', kind: { ne: closingKind } } as const;
  const within: Filter<LedgerRecord> = { ...own, and: [{ created_at: { gte: from } }, { created_at: { lt: to } }] };
  const [credited, entered, entries, closing, deletedSince, early, during] = await Promise.all([
    ledger.group({ filter: { ...own, created_at: { lt: from } }, by: [], sum: { amount: 'amount' } }),
    ledger.group({ filter: within, by: [], sum: { amount: 'amount' } }),
    ledger.find(within, { sort: [['id', 1]], limit: mostEntries }),
    ledger.first({ ref: closingRef({ account: 'user', id: user.id }) }),
    closedCharges(db, user.id, { from }),
    chargesOfUser(db, user.id, { from: Math.min(begun, from), to: from }, rows),
    chargesOfUser(db, user.id, { from, to }, rows),
  ]);
  addCharges(during, await closedCharges(db, user.id, { from, to }));
  const deleted = -(closing?.amount ?? 0) - sumOf(deletedSince.charged.values());
  const opening = Number(credited[0]?.['amount'] ?? 0) - deleted - sumOf(early.charged.values());
  const inAll = { count: entered[0]?.count ?? 0, amount: Number(entered[0]?.['amount'] ?? 0) };
  const shown = entries.map(({ id, created_at, kind, amount }) => ({ id, created_at, kind: entryKindOf(kind), amount }));
  const models = [...during.charged]
    .map(([model_name, charges]) => ({ model_name, ...charges }))
    .filter(({ calls, amount }) => calls > 0 || amount !== 0)
    .toSorted((a, b) => b.amount - a.amount || (a.model_name < b.model_name ? -1 : 1));
  const others = models.slice(mostModels);
  const shownFrom = Math.max(from, begun);
  return {
    from: shownFrom,
    to: Math.max(to, shownFrom),
    rows_from: rows,
    opening,
    closing: opening + inAll.amount - sumOf(models),
    entries: shown,
    more_entries: { count: inAll.count - shown.length, amount: inAll.amount - sumOf(shown) },
    calls: models.slice(0, mostModels),
    more_calls: { models: others.length, calls: others.reduce((sum, { calls }) => sum + calls, 0), amount: sumOf(others) },
    ...(during.imported.calls > 0 && { imported_calls: during.imported }),
  };
}

function sumOf(all: Iterable<Pick<ModelCharges, 'amount'>>): number {
  let sum = 0;
  for (const { amount } of all) sum += amount;
  return sum;
}
