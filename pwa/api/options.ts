import { queryOptions } from '@tanstack/react-query';
import { optionApi } from '#shared/options.ts';
import { call } from './call.ts';

/** All settings. Values of secrets are never in it, so it may be kept on this device. */
export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: ({ signal }) => call(optionApi.list, { signal }),
  meta: { offline: true },
});
