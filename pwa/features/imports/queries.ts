import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { importApi, type ImportOptions, type ImportRun, type ImportSourceInput } from '#shared/imports.ts';
import { call } from '#pwa/api/call.ts';

/** Interval of requests while an import is under way, and otherwise. */
const followMs = 2_000;
const idleMs = 60_000;

export function isUnderWay({ state, is_stopping: isStopping }: Pick<ImportRun, 'state' | 'is_stopping'>): boolean {
  return state === 'planning' || state === 'running' || isStopping;
}

export function isOpen({ state }: Pick<ImportRun, 'state'>): boolean {
  return state !== 'done' && state !== 'failed';
}

export const importsQuery = queryOptions({
  queryKey: ['imports', 'list'],
  queryFn: ({ signal }) => call(importApi.list, { signal }),
  meta: { offline: true },
  refetchInterval: ({ state }) => (state.data?.imports.some(isUnderWay) === true ? followMs : idleMs),
});

export function importQuery(id: number) {
  return queryOptions({
    queryKey: ['imports', 'run', id],
    queryFn: ({ signal }) => call(importApi.read, { params: { id: String(id) }, signal }),
    meta: { offline: true },
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? followMs : idleMs),
  });
}

/** @param quiet false: nothing on the screen shows its failures, so they are toasted */
function useImportMutation<Input, Result>(mutationFn: (input: Input) => Promise<Result>, { quiet = true } = {}) {
  const client = useQueryClient();
  return useMutation({ mutationFn, meta: { quiet }, onSettled: () => client.invalidateQueries({ queryKey: ['imports'] }) });
}

export const useCreateImport = () => useImportMutation((body: ImportSourceInput) => call(importApi.create, { body }));
export const usePlanImport = () =>
  useImportMutation(({ id, options }: { id: number; options: ImportOptions }) =>
    call(importApi.plan, { params: { id: String(id) }, body: options }),
  );
export const useStartImport = () => useImportMutation((id: number) => call(importApi.start, { params: { id: String(id) } }));
export const usePauseImport = () => useImportMutation((id: number) => call(importApi.pause, { params: { id: String(id) } }));
export const useStopImport = () =>
  useImportMutation((id: number) => call(importApi.stop, { params: { id: String(id) } }), { quiet: false });
