import { queryOptions } from '@tanstack/react-query';
import { optionApi } from '#shared/options.ts';
import { call } from './call.ts';

/** All settings. They contain no values of secrets, so they may be stored on this device. */
export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: ({ signal }) => call(optionApi.list, { signal }),
  meta: { offline: true },
});
