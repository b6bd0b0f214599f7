import { queryOptions } from '@tanstack/react-query';
import { setupApi } from '#shared/setup.ts';
import { call } from '#pwa/api/call.ts';

/** Whether the first-run set-up is done, and its questions. Never cached: it changes once and for good. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call(setupApi.status, { signal }),
  staleTime: 0,
  gcTime: 0,
});
