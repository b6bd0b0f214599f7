import type { Page } from '#shared/paging.ts';
import type { BalanceChange } from '#shared/users.ts';
import { readUsernames } from '#server/accounts/usernames.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import { closingKind } from '#server/money/log-closing.ts';
import { exactTotal, isBehind, pageBounds, pageResponse } from '#server/http/paging.ts';

interface PageQuery {
  p?: number | undefined;
  page_size?: number | undefined;
}

/** The ledger of one user without what was given up and what rows of the log had taken that are gone, newest first. */
export async function readBalanceHistory({ db }: AppContext, userId: number, query: PageQuery): Promise<Page<BalanceChange>> {
  const bounds = pageBounds(query);
  const filter: Filter<LedgerRecord> = { account: 'user', account_id: userId, state: { ne: 'void' }, kind: { ne: closingKind } };
  const ledger = db.collection('ledger');
  const total = await ledger.count(filter, exactTotal + 1);
  const entries = isBehind(bounds.skip, total)
    ? []
    : await ledger.find(filter, { sort: [['id', -1]], skip: bounds.skip, limit: bounds.size });
  const names = await readUsernames(
    db,
    entries.map((entry) => entry.actor_id),
  );
  const items = entries.map(({ id, created_at, kind, amount, actor_id, reason = '' }) => ({
    id,
    created_at,
    kind,
    amount,
    actor_id,
    actor_name: names.get(actor_id) ?? '',
    reason,
  }));
  return pageResponse(items, bounds, total);
}
