import { queryOptions } from '@tanstack/react-query';
import { dashboardApi } from '#shared/dashboard.ts';
import { LogType, logApi } from '#shared/logs.ts';
import { tokenApi } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';
import { ownTimeZone } from '#pwa/api/time-zone.ts';
import { midnight, monthStart } from '#pwa/ui/local-days.ts';

const dayLength = 24 * 60 * 60;
const recentCount = 9;
const operatorRows = 5;
const mostTokens = 100;

/** Hours of yesterday and today, with what the calls came to: one's own, or everybody's by model. */
export const todayQuery = (isForAll: boolean) =>
  queryOptions({
    queryKey: ['home', 'today', isForAll],
    queryFn: ({ signal }) => {
      const query = {
        start_timestamp: midnight(Date.now()) - dayLength,
        end_timestamp: nowSeconds(),
        step: 'hour' as const,
        ...ownTimeZone(),
      };
      return isForAll ? call(dashboardApi.figures, { query, signal }) : call(dashboardApi.figuresSelf, { query, signal });
    },
    meta: { offline: true },
    refetchInterval: 60_000,
  });

/** Where the day's or month's spend went: everybody's today, or one's own this month. */
export const spendQuery = (by: 'model' | 'user', isForAll: boolean) =>
  queryOptions({
    queryKey: ['home', 'spend', by, isForAll],
    queryFn: ({ signal }) => {
      const now = Date.now();
      const start = isForAll ? midnight(now) : monthStart(now);
      const query = { start_timestamp: start, end_timestamp: nowSeconds(), step: 'day' as const, by, ...ownTimeZone() };
      return isForAll ? call(dashboardApi.figures, { query, signal }) : call(dashboardApi.figuresSelf, { query, signal });
    },
    meta: { offline: true },
    staleTime: 60_000,
  });

/** The latest own calls. */
export const recentCallsQuery = queryOptions({
  queryKey: ['home', 'recent'],
  queryFn: ({ signal }) => call(logApi.listSelf, { query: { type: LogType.consumption, p: 1, page_size: recentCount }, signal }),
  meta: { offline: true },
});

/** Own tokens without their keys, which this screen does not need. */
export const ownTokensQuery = queryOptions({
  queryKey: ['home', 'tokens'],
  queryFn: async ({ signal }) => {
    const tokens = await call(tokenApi.list, { query: { p: 0, size: mostTokens }, signal });
    return tokens.map(({ key: _key, ...token }) => token);
  },
  meta: { offline: true },
});

/** For an operator: the last changes. */
export const lastRowsQuery = (type: typeof LogType.management) =>
  queryOptions({
    queryKey: ['home', 'rows', type],
    queryFn: ({ signal }) => call(logApi.list, { query: { type, p: 1, page_size: operatorRows, without_total: true }, signal }),
    meta: { offline: true },
    refetchInterval: 30_000,
  });

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
