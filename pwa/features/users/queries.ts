import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { userApi } from '#shared/users.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';

export interface UsersFilter {
  keyword: string;
  group: string;
}

/** A page of users, newest first; pages count from 1. */
export const usersQuery = ({ p, size, keyword, group }: UsersFilter & { p: number; size: number }) =>
  queryOptions({
    queryKey: ['users', { p, size, keyword, group }],
    queryFn: ({ signal }) =>
      keyword === '' && group === ''
        ? call(userApi.list, { query: { p, page_size: size }, signal })
        : call(userApi.search, { query: { p, page_size: size, keyword, group }, signal }),
    placeholderData: keepPreviousData,
    meta: { offline: true },
  });

/** One user as the editor needs it: always from the server. */
export const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['user', id],
    queryFn: ({ signal }) => call(userApi.read, { params: { id: String(id) }, signal }),
    staleTime: 0,
  });

/** Rows that stand there at first. */
export const pageStep = 10;

/** What changed a balance besides calls: the newest of it. */
export const balanceHistoryQuery = (id: number, size: number) =>
  queryOptions({
    queryKey: ['user', id, 'balance-history', size],
    queryFn: ({ signal }) => call(userApi.balanceHistory, { params: { id: String(id) }, query: { page_size: String(size) }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** Whom a user invited, newest first, and who stands above. */
export const invitationsQuery = (id: number, size: number) =>
  queryOptions({
    queryKey: ['user', id, 'invitations', size],
    queryFn: async ({ signal }) => {
      const { data, extra } = await callWithExtra(userApi.invitations, {
        params: { id: String(id) },
        query: { page_size: String(size) },
        signal,
      });
      return { ...data, inviters: extra.inviters };
    },
    placeholderData: keepPreviousData,
  });
