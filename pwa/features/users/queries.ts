import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { userApi } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';

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
