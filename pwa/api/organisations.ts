import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { organisationApi } from '#shared/organisations.ts';
import { call } from './call.ts';

/** Organisations of which the user is a member. */
export const organisationsQuery = queryOptions({
  queryKey: ['organisations', 'mine'],
  queryFn: ({ signal }) => call(organisationApi.list, { signal }),
  meta: { offline: true },
});

/** Members; pages from 1. */
export const membersQuery = (id: number, { page, size, keyword = '' }: { page: number; size: number; keyword?: string | undefined }) =>
  queryOptions({
    queryKey: ['organisation', id, 'members', { page, size, keyword }],
    queryFn: ({ signal }) =>
      call(organisationApi.members, {
        params: { id: String(id) },
        query: { p: page, page_size: size, ...(keyword === '' ? {} : { keyword }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    meta: { offline: true },
  });

/** Members that fit in a select. */
export const heirsQuery = (id: number) => membersQuery(id, { page: 1, size: 100 });

export const teamsQuery = (id: number) =>
  queryOptions({
    queryKey: ['organisation', id, 'teams'],
    queryFn: ({ signal }) => call(organisationApi.teams, { params: { id: String(id) }, signal }),
    meta: { offline: true },
  });
