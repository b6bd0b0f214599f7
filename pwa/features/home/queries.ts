import { queryOptions } from '@tanstack/react-query';
import { dashboardApi } from '#shared/dashboard.ts';
import { LogType, logApi } from '#shared/logs.ts';
import { tokenApi } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';
import { ownTimeZone } from '#pwa/api/time-zone.ts';

const dayLength = 24 * 60 * 60;
const recentCount = 9;
const operatorRows = 5;
const mostTokens = 100;

/** Hours of yesterday and today, with what the calls came to: one's own, or everybody's by model. */
export const todayQuery = (isForAll: boolean) =>
  queryOptions({
    queryKey: ['home', 'today', isForAll],
    queryFn: ({ signal }) => {
      const { midnight } = dayOf(Date.now());
      const query = { start_timestamp: midnight - dayLength, end_timestamp: nowSeconds(), step: 'hour' as const, ...ownTimeZone() };
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
      const now = new Date();
      const month = Math.floor(new Date(now.getFullYear(), now.getMonth(), 1).getTime() / 1000);
      const start = isForAll ? dayOf(now.getTime()).midnight : month;
      const query = { start_timestamp: start, end_timestamp: nowSeconds(), step: 'day' as const, by, ...ownTimeZone() };
      return isForAll ? call(dashboardApi.figures, { query, signal }) : call(dashboardApi.figuresSelf, { query, signal });
    },
    meta: { offline: true },
    staleTime: 60_000,
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

/** Own tokens without their keys, which are nobody's business here. */
export const ownTokensQuery = queryOptions({
  queryKey: ['home', 'tokens'],
  queryFn: async ({ signal }) => {
    const tokens = await call(tokenApi.list, { query: { p: 0, size: mostTokens }, signal });
    return tokens.map(({ key: _key, ...token }) => token);
  },
  meta: { offline: true },
});

/** For an operator: what needs a hand. */
export const todoQuery = queryOptions({
  queryKey: ['home', 'todo'],
  queryFn: ({ signal }) => call(dashboardApi.operatorTodo, { signal }),
  meta: { offline: true },
  refetchInterval: 30_000,
});

/** For an operator: the last changes. */
export const lastRowsQuery = (type: typeof LogType.management) =>
  queryOptions({
    queryKey: ['home', 'rows', type],
    queryFn: ({ signal }) => call(logApi.list, { query: { type, p: 1, page_size: operatorRows, without_total: true }, signal }),
    meta: { offline: true },
    refetchInterval: 30_000,
  });

/** Local midnight of a moment (milliseconds), and the next one, in unix seconds. */
export function dayOf(milliseconds: number): { midnight: number; tomorrow: number } {
  const date = new Date(milliseconds);
  const start = (days: number) => Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime() / 1000);
  return { midnight: start(0), tomorrow: start(1) };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
