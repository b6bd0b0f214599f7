import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { asCodeApi } from '#shared/as-code.ts';
import { groupApi } from '#shared/groups.ts';
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

export const managingFilesQuery = queryOptions({
  queryKey: ['as-code', 'files'],
  queryFn: ({ signal }) => call(asCodeApi.files, { signal }),
});

/** Present contents of a group, which a decision depends on: never cached. */
export const groupUsesQuery = (name: string) =>
  queryOptions({
    queryKey: ['groups', 'uses', name],
    queryFn: ({ signal }) => call(groupApi.uses, { query: { name }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** The group that is on its way into another one; looked at again as long as there is one. */
export const groupMoveQuery = queryOptions({
  queryKey: ['group-move'],
  queryFn: ({ signal }) => call(groupApi.move, { signal }),
  refetchInterval: ({ state: { data } }) => (data === undefined || data === null ? false : 3_000),
});
