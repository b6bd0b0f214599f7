import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callSessionApi } from '#shared/call-sessions.ts';
import type { LogFormat } from '#shared/logs.ts';
import { call } from '#pwa/api/call.ts';
import { ownTimeZone } from '#pwa/api/time-zone.ts';
import type { LogSearch } from './log-address.ts';
import { boundsOf, type RangeChoice, rangeOf } from './log-search.ts';
import type { LogPage } from './queries.ts';

/** What narrows a list of sessions. */
export interface SessionList {
  isAdmin: boolean;
  /** The client's own id, whole: wherever it stands in time. */
  session: string | undefined;
  /** Of one's own sessions. */
  token: string | undefined;
  /** Of everybody's. */
  user: string | undefined;
  range: RangeChoice;
}

export function sessionListOf(search: LogSearch, isAdmin: boolean): SessionList {
  const { session, token, user } = search;
  return {
    isAdmin,
    session: session?.trim(),
    token: isAdmin ? undefined : token,
    user: isAdmin ? user : undefined,
    range: rangeOf(search),
  };
}

/** Whether a text is our id of a session, not a client's. */
export function isSessionId(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,15}\.\d{1,15}\.[\w-]{22}$/.test(text);
}

export const sessionsQuery = (list: SessionList, { page, size, cursor }: LogPage) =>
  queryOptions({
    queryKey: ['sessions', list, { page, size, cursor }],
    queryFn: ({ signal }) => {
      const query = { ...timeOf(list), session: list.session, page_size: size, ...(cursor === undefined ? { p: page } : { cursor }) };
      return list.isAdmin
        ? call(callSessionApi.list, { query: { ...query, username: list.user }, signal })
        : call(callSessionApi.listSelf, { query: { ...query, token_name: list.token }, signal });
    },
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

export const sessionTreeQuery = (isAdmin: boolean, session: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['session', isAdmin, session, cursor],
    queryFn: ({ signal }) =>
      call(isAdmin ? callSessionApi.read : callSessionApi.readSelf, { params: { session }, query: { cursor }, signal }),
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

/** The address of a file of the whole list, as it is filtered. */
export function sessionExportAddress(list: SessionList, format: LogFormat): string {
  const values = { ...timeOf(list), session: list.session, token_name: list.token, username: list.user, format, ...ownTimeZone() };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return `${(list.isAdmin ? callSessionApi.exportAll : callSessionApi.exportSelf).path}?${query.toString()}`;
}

function timeOf({ session, range }: SessionList) {
  const { start, end } = session === undefined ? boundsOf(range, Date.now()) : {};
  return { start_timestamp: start, end_timestamp: end };
}
