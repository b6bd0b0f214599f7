import { infiniteQueryOptions } from '@tanstack/react-query';
import { optionApi } from '#shared/options.ts';
import { call } from '#pwa/api/call.ts';

const changesPerPage = 20;

/** Changes of settings, newest first. @param keys of these settings; undefined: of all */
export function historyQuery(keys: readonly string[] | undefined) {
  return infiniteQueryOptions({
    queryKey: ['options', 'history', keys?.join(',') ?? ''],
    queryFn: ({ signal, pageParam }) =>
      call(optionApi.history, {
        signal,
        query: { p: String(pageParam), page_size: String(changesPerPage), ...(keys === undefined ? {} : { keys: keys.join(',') }) },
      }),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page * last.page_size < last.total ? last.page + 1 : undefined),
  });
}
