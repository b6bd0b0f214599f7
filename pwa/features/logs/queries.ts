import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { accountApi } from '#shared/account.ts';
import { dashboardApi } from '#shared/dashboard.ts';
import { type LogTimeline, LogType, logApi } from '#shared/logs.ts';
import { modelApi } from '#shared/models.ts';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import { userApi } from '#shared/users.ts';
import { actingOrganisation, useActing } from '#pwa/api/acting.ts';
import { call } from '#pwa/api/call.ts';
import { readEvents } from '#pwa/api/event-stream.ts';
import { ownTimeZone } from '#pwa/api/time-zone.ts';
import type { LogSearch } from './log-address.ts';
import {
  type Bounds,
  boundsOf,
  countFilters,
  filtersOf,
  type LogFilters,
  type RangeChoice,
  rangeOf,
  serverFilters,
  timelineSpan,
} from './log-search.ts';

export interface LogList {
  /** Everybody's rows, or one's own. */
  isAdmin: boolean;
  filters: LogFilters;
  range: RangeChoice;
}

/** List of an address. */
export function logListOf(search: LogSearch, isAdmin: boolean): LogList {
  return { isAdmin, filters: filtersOf(search, isAdmin), range: rangeOf(search) };
}

export interface LogPage {
  /** From 1. */
  page: number;
  size: number;
  /** Takes the place of `page`. */
  cursor?: string | undefined;
}

export const logsQuery = (list: LogList, { page, size, cursor }: LogPage) =>
  queryOptions({
    queryKey: ['logs', list, { page, size, cursor }],
    queryFn: ({ signal }) => {
      const query = { ...serverFilters(list.filters), ...timeOf(boundsOfList(list)), page_size: size };
      const paged = cursor === undefined ? { ...query, p: page } : { ...query, cursor };
      return list.isAdmin ? call(logApi.list, { query: paged, signal }) : call(logApi.listSelf, { query: paged, signal });
    },
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

/** The first page at present, without a count; polled. */
export function readNewest(list: LogList, size: number, signal: AbortSignal) {
  const query = { ...serverFilters(list.filters), ...timeOf(boundsOfList(list)), page_size: size, without_total: true };
  return list.isAdmin ? call(logApi.list, { query, signal }) : call(logApi.listSelf, { query, signal });
}

/** The server's stream of what is new in a list; it says something every two seconds. */
export function tailEvents(list: LogList, { after, signal }: { after: string | undefined; signal: AbortSignal }) {
  const query = { ...serverFilters(list.filters), ...timeOf(boundsOfList(list)), after };
  return readEvents(list.isAdmin ? logApi.tail : logApi.tailSelf, { query, signal, quietMs: 15_000 });
}

/** Rows of one request: what was taken for a batch or a training, and what it came to. */
export const rowsOfRequestQuery = (isAdmin: boolean, id: string) =>
  queryOptions({
    queryKey: ['log', isAdmin, 'request', id],
    queryFn: async ({ signal }) => {
      const query = { request_id: id, page_size: 10, without_total: true };
      const page = await (isAdmin ? call(logApi.list, { query, signal }) : call(logApi.listSelf, { query, signal }));
      return page.items;
    },
  });

/** One row, wherever it stands. */
export const logQuery = (isAdmin: boolean, id: string) =>
  queryOptions({
    queryKey: ['log', isAdmin, id],
    queryFn: ({ signal }) => call(isAdmin ? logApi.read : logApi.readSelf, { params: { id }, signal }),
    meta: { offline: true },
    // A row never changes.
    staleTime: 300_000,
  });

/** What the calls of a list cost, and requests and tokens of the last minute. */
export const logSumsQuery = (list: LogList) =>
  queryOptions({
    queryKey: ['log-sums', list],
    queryFn: ({ signal }) => sums(list, boundsOfList(list), signal),
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

/** What the calls of one day cost, for its line in the ledger. */
export const daySumQuery = (list: LogList, day: { start: number; end: number }) =>
  queryOptions({
    queryKey: ['log-day', list, day],
    queryFn: ({ signal }) => sums(list, day, signal),
    meta: { offline: true },
    staleTime: 60_000,
  });

/** The rows of a list by the hour or the day, over the days around its range. */
export const timelineQuery = (list: LogList) =>
  queryOptions({
    queryKey: ['log-timeline', list],
    queryFn: async ({ signal }): Promise<LogTimeline> => {
      const now = Date.now();
      const { start, end, step } = timelineSpan(boundsOfList(list), now);
      const query = { start_timestamp: start, end_timestamp: Math.min(end - 1, Math.floor(now / 1000)), step, ...ownTimeZone() };
      if (countFilters(list.filters) > 0 || !readsFigures()) {
        const narrowed = { ...serverFilters(list.filters), ...query };
        return list.isAdmin ? call(logApi.timeline, { query: narrowed, signal }) : call(logApi.timelineSelf, { query: narrowed, signal });
      }
      // Of everything the dashboard knows it already.
      const figures = await (list.isAdmin
        ? call(dashboardApi.figures, { query, signal })
        : call(dashboardApi.figuresSelf, { query, signal }));
      const { whole, steps, at } = figures;
      const calls = whole.map((one) => one.calls);
      return { step, start: figures.start, end: figures.end, at, steps, calls, errors: whole.map((one) => one.errors) };
    },
    meta: { offline: true },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });

/** An account as an administrator may look it up from a row. */
export const logUserQuery = (id: number) =>
  queryOptions({
    queryKey: ['log-user', id],
    queryFn: ({ signal }) => call(userApi.read, { params: { id: String(id) }, signal }),
  });

/** Names of groups to filter by: all of them for an administrator, one's own for everybody else. */
export const logGroupsQuery = (isAdmin: boolean) =>
  queryOptions({
    queryKey: ['log-groups', isAdmin],
    queryFn: async ({ signal }) => (isAdmin ? call(modelApi.groups, { signal }) : Object.keys(await call(accountApi.groups, { signal }))),
    meta: { offline: true },
    staleTime: 300_000,
  });

/** Whether the user reads the calls of all members of an organisation, and so who made them. */
export function useNamesMembers(): boolean {
  const acting = useActing();
  return acting !== null && mayInOrganisation(acting.role, 'usage');
}

/** Members of an organisation who read their calls alone have no dashboard of it. */
function readsFigures(): boolean {
  const acting = actingOrganisation();
  return acting === null || mayInOrganisation(acting.role, 'usage');
}

function sums(list: LogList, bounds: Bounds, signal: AbortSignal) {
  // Sums are about calls, whatever kind of row is listed.
  const query = { ...serverFilters(list.filters), type: LogType.consumption, ...timeOf(bounds) };
  return list.isAdmin ? call(logApi.stat, { query, signal }) : call(logApi.statSelf, { query, signal });
}

/** A request is looked for at any time. */
export function boundsOfList({ filters, range }: LogList): Bounds {
  return filters.request === undefined ? boundsOf(range, Date.now()) : {};
}

function timeOf({ start, end }: Bounds) {
  return { start_timestamp: start, end_timestamp: end };
}
