import { infiniteQueryOptions } from '@tanstack/react-query';
import { auditLogApi } from '#shared/audit-log.ts';
import { call } from '#pwa/api/call.ts';

const entriesAtOnce = 10;

/** History of one object, newest first. @param object `<kind>:<id>` */
export const recordHistoryQuery = (object: string) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', 'history', object],
    queryFn: ({ pageParam, signal }) =>
      call(auditLogApi.list, { query: { object, page_size: entriesAtOnce, ...(pageParam === '' ? {} : { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
    meta: { offline: true },
  });
