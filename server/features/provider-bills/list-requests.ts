import type { Filter } from '#server/db/collection.ts';
import type { AppContext } from '#server/context.ts';
import type { BillRequestRecord } from '#server/db/records/bill.ts';
import type { BillRequest, BillRequestState } from '#shared/provider-bills.ts';
import type { Page } from '#shared/paging.ts';
import { exactTotal, isBehind, pageBounds, pageResponse } from '#server/http/paging.ts';
import { presentRequest } from './present-bill.ts';

export interface RequestQuery {
  account?: number | undefined;
  state?: BillRequestState | undefined;
}

/** Calls that a bill lacks by default. */
export function requestFilter({ account, state = 'unbilled' }: RequestQuery): Filter<BillRequestRecord> {
  return account === undefined ? { state } : { account_id: account, state };
}

/** Newest day first. */
export async function listRequests(
  { db }: Pick<AppContext, 'db'>,
  query: RequestQuery & { p?: number | undefined; page_size?: number | undefined },
): Promise<Page<BillRequest>> {
  const requests = db.collection('bill_requests');
  const filter = requestFilter(query);
  const bounds = pageBounds(query);
  const total = await requests.count(filter, exactTotal + 1);
  const { skip, size: limit } = bounds;
  const rows = isBehind(skip, total) ? [] : await requests.find(filter, { sort: [['day', -1]], skip, limit });
  return pageResponse(rows.map(presentRequest), bounds, total);
}
