import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { channelKeyApi } from '#shared/channel-keys.ts';
import { channelApi } from '#shared/channels.ts';
import { call } from '#pwa/api/call.ts';

const refreshMs = 30_000;

export const keysQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel-keys', id],
    queryFn: ({ signal }) => call(channelKeyApi.list, { params: { id: String(id) }, signal }),
    refetchInterval: refreshMs,
  });

export const keyChannelQuery = (id: number) =>
  queryOptions({
    queryKey: ['channels', 'one', id, 'keys'],
    queryFn: ({ signal }) => call(channelApi.read, { params: { id: String(id) }, signal }),
  });

export const placesQuery = (id: number, key: number) =>
  queryOptions({
    queryKey: ['channel-keys', id, 'places', key],
    queryFn: ({ signal }) => call(channelKeyApi.places, { params: { id: String(id), key: String(key) }, signal }),
  });

/** For requests that change nothing. */
export function useKeyReading<Input, Result>(mutationFn: (input: Input) => Promise<Result>) {
  return useMutation({ mutationFn, meta: { quiet: true } });
}

/** Reads keys and channels again when the work has ended. */
export function useKeyMutation<Input, Result>(mutationFn: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    meta: { quiet: true },
    onSettled: () =>
      void Promise.all([client.invalidateQueries({ queryKey: ['channel-keys'] }), client.invalidateQueries({ queryKey: ['channels'] })]),
  });
}
