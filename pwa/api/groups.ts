import { queryOptions } from '@tanstack/react-query';
import { modelApi } from '#shared/models.ts';
import { call } from './call.ts';

/** Names of all groups, for administrators' filters and forms. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => call(modelApi.groups, { signal }),
  staleTime: 60_000,
  meta: { offline: true },
});
