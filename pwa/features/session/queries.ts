import { queryOptions } from '@tanstack/react-query';
import { sessionsApi } from '#shared/sessions.ts';
import { call } from '#pwa/api/call.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call(sessionsApi.list, { signal }),
  meta: { offline: true },
});
