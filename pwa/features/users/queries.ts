import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { userTokenApi } from '#shared/user-tokens.ts';
import { type UserSort, userApi } from '#shared/users.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';

export interface UsersFilter {
  keyword: string;
  group: string;
  /** Absent: newest first. */
  sort?: UserSort | undefined;
  isAscending?: boolean;
}

/** A page of users; pages count from 1. */
export const usersQuery = ({ p, size, keyword, group, sort, isAscending }: UsersFilter & { p: number; size: number }) => {
  const sorted = sort === undefined ? {} : { sort, ...(isAscending === true ? { ascending: true } : {}) };
  const page = { p, page_size: size, ...sorted };
  return queryOptions({
    queryKey: ['users', { p, size, keyword, group, ...sorted }],
    queryFn: ({ signal }) =>
      keyword === '' && group === ''
        ? call(userApi.list, { query: page, signal })
        : call(userApi.search, { query: { ...page, keyword, group }, signal }),
    placeholderData: keepPreviousData,
    meta: { offline: true },
  });
};

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

/** The newest tokens of a user. */
export const tokensOfUserQuery = (id: number) =>
  queryOptions({
    queryKey: ['user-tokens', { user: id, size: pageStep }],
    queryFn: ({ signal }) => call(userTokenApi.list, { query: { user: String(id), page_size: String(pageStep) }, signal }),
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
