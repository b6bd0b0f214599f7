import { queryOptions } from '@tanstack/react-query';
import { accountApi } from '#shared/account.ts';
import { modelApi } from '#shared/models.ts';
import { call } from './call.ts';

/** Names of all groups, for administrators' filters and forms. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => call(modelApi.groups, { signal }),
  staleTime: 60_000,
  meta: { offline: true },
});

/** Groups that the caller may choose, with their ratios. */
export const usableGroupsQuery = queryOptions({
  queryKey: ['usable-groups'],
  queryFn: ({ signal }) => call(accountApi.groups, { signal }),
  meta: { offline: true },
  staleTime: 60_000,
});
