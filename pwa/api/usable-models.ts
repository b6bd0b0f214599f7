import { queryOptions } from '@tanstack/react-query';
import { accountApi } from '#shared/account.ts';
import { call } from './call.ts';

/** Names of the models that the caller may use. */
export const usableModelsQuery = queryOptions({
  queryKey: ['usable-models'],
  queryFn: ({ signal }) => call(accountApi.models, { signal }),
  meta: { offline: true },
  staleTime: 60_000,
});
