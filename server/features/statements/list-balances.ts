import type { AccountBalance, BalanceSums } from '#shared/statement.ts';
import type { Page } from '#shared/paging.ts';
import type { AppContext } from '#server/context.ts';
import { exactTotal, isBehind, pageBounds, pageResponse } from '#server/http/paging.ts';
import { settingAt } from '#server/settings/setting-at.ts';
import { accountsOf, balancesOf, sumBalances } from './account-balances.ts';
import { checkedSpan, onSteadyBooks, type RequestedSpan, spanWithin } from './steady-books.ts';

export interface ListedBalances {
  page: Page<AccountBalance>;
  span: Pick<BalanceSums, 'from' | 'to' | 'rows_from' | 'quota_per_unit'>;
}

/** @throws {AppError} `invalid_field`, `log_deletion_running` */
export async function listBalances(
  context: AppContext,
  query: RequestedSpan & { p?: number | undefined; page_size?: number | undefined },
): Promise<ListedBalances> {
  const { db, now } = context;
  const requested = checkedSpan(query, Math.floor(now() / 1000));
  const bounds = pageBounds(query);
  const users = db.collection('users');
  const total = await users.count(accountsOf(requested), exactTotal + 1);
  const { skip, size: limit } = bounds;
  const shown = isBehind(skip, total) ? [] : await users.find(accountsOf(requested), { skip, limit });
  return onSteadyBooks(db, async (known) => {
    const span = spanWithin(requested, known);
    const items = await balancesOf(db, shown, span);
    const quota_per_unit = await settingAt(context, 'QuotaPerUnit', span.to);
    return {
      page: pageResponse(items, bounds, total),
      span: { from: span.from, to: span.to, rows_from: span.rows, quota_per_unit },
    };
  });
}

/** @throws {AppError} `invalid_field`, `log_deletion_running` */
export function readBalanceSums(context: AppContext, query: RequestedSpan): Promise<BalanceSums> {
  const requested = checkedSpan(query, Math.floor(context.now() / 1000));
  return onSteadyBooks(context.db, (bounds) => sumBalances(context, spanWithin(requested, bounds)));
}
