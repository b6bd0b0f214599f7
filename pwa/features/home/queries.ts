import { queryOptions } from '@tanstack/react-query';
import { LogType, logApi } from '#shared/logs.ts';
import { call } from '#pwa/api/call.ts';

const dayLength = 24 * 60 * 60;
const recentCount = 6;

/** Own spend and number of calls since local midnight. */
export const todayQuery = queryOptions({
  queryKey: ['home', 'today'],
  queryFn: async ({ signal }) => {
    const query = { type: LogType.consumption, start_timestamp: midnight(), end_timestamp: nowSeconds() + 60 };
    const [sums, calls] = await Promise.all([
      call(logApi.statSelf, { query, signal }),
      call(logApi.listSelf, { query: { ...query, p: 1, page_size: 1 }, signal }),
    ]);
    return { spent: sums.quota, calls: calls.total, isLowerBound: calls.total_is_lower_bound === true, since: query.start_timestamp };
  },
  meta: { offline: true },
});

/** Own spend over the last seven days, for how long the balance lasts. */
export const weekQuery = queryOptions({
  queryKey: ['home', 'week'],
  queryFn: ({ signal }) =>
    call(logApi.statSelf, {
      query: { type: LogType.consumption, start_timestamp: nowSeconds() - 7 * dayLength, end_timestamp: nowSeconds() + 60 },
      signal,
    }),
  meta: { offline: true },
});

/** The latest own calls. */
export const recentCallsQuery = queryOptions({
  queryKey: ['home', 'recent'],
  queryFn: ({ signal }) => call(logApi.listSelf, { query: { type: LogType.consumption, p: 1, page_size: recentCount }, signal }),
  meta: { offline: true },
});

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function midnight(): number {
  return Math.floor(new Date().setHours(0, 0, 0, 0) / 1000);
}
