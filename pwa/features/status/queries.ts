import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { optionApi } from '#shared/options.ts';
import { type IncidentInput, statusApi, statusSeconds, type UpdateInput } from '#shared/status-page.ts';
import { call } from '#pwa/api/call.ts';
import { optionsQuery } from '#pwa/api/options.ts';

const key = 'status-page';

/** The page of this viewer (0: signed out), read again while it is looked at. */
export const statusQuery = (userId: number) =>
  queryOptions({
    queryKey: [key, userId],
    queryFn: ({ signal }) => call(statusApi.page, { signal }),
    meta: { offline: true },
    staleTime: (statusSeconds * 1000) / 2,
    refetchInterval: statusSeconds * 1000,
  });

/** Incidents that have ended, the newest first. */
export const pastQuery = (userId: number) =>
  infiniteQueryOptions({
    queryKey: [key, userId, 'past'],
    queryFn: ({ pageParam, signal }) => call(statusApi.incidents, { query: pageParam === undefined ? {} : { before: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ incidents, has_more: hasMore }) => (hasMore ? incidents.at(-1)?.id.toString() : undefined),
  });

export type NewIncident = IncidentInput & { update: UpdateInput };
export type EditedIncident = IncidentInput & { id: number; revision: number };
export type NewUpdate = UpdateInput & { id: number; revision: number };

export function useCreateIncident() {
  return useStatusMutation((body: NewIncident) => call(statusApi.create, { body }));
}

export function useEditIncident() {
  return useStatusMutation(({ id, ...body }: EditedIncident) => call(statusApi.edit, { params: { id: String(id) }, body }));
}

export function useAddUpdate() {
  return useStatusMutation(({ id, ...body }: NewUpdate) => call(statusApi.update, { params: { id: String(id) }, body }));
}

export function useRemoveIncident() {
  return useStatusMutation((id: number) => call(statusApi.remove, { params: { id: String(id) } }));
}

const hiddenKey = 'StatusPageHidden';

/** Leaves a model out of the page for visitors, or shows it again. */
export function useHideModel() {
  const client = useQueryClient();
  return useStatusMutation(async ({ model, isHidden }: { model: string; isHidden: boolean }) => {
    const options = await client.fetchQuery({ ...optionsQuery, staleTime: 0 });
    const option = options.find((one) => one.key === hiddenKey);
    const names = new Set((option?.value ?? '').split('\n').filter((name) => name !== ''));
    if (isHidden) names.add(model);
    else names.delete(model);
    const revision = option === undefined ? {} : { revision: option.revision };
    await call(optionApi.save, { body: { key: hiddenKey, value: [...names].join('\n'), ...revision } });
    await client.invalidateQueries({ queryKey: optionsQuery.queryKey });
  });
}

function useStatusMutation<Input, Result>(mutationFn: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: [key] }) });
}
