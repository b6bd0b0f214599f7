import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { z } from 'zod/mini';
import { Channel, channelApi } from '#shared/channels.ts';
import { channelRunApi } from '#shared/channel-runs.ts';
import { channelTagApi } from '#shared/channel-tags.ts';
import { modelApi } from '#shared/models.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';

/** The most that a search answers. */
export const searchLimit = 1000;

const ChannelRows = z.object({ channels: z.array(Channel), total: z.int(), isLowerBound: z.optional(z.boolean()) });
export type ChannelRows = z.infer<typeof ChannelRows>;

/** One page of all channels; pages count from 1. */
export const channelPageQuery = (page: { p: number; size: number; byId: boolean }) =>
  queryOptions({
    queryKey: ['channels', page],
    queryFn: async ({ signal }): Promise<ChannelRows> => {
      const query = { p: page.p - 1, page_size: page.size, id_sort: page.byId };
      const { data, extra } = await callWithExtra(channelApi.list, { query, signal });
      return { channels: data, total: extra.total, isLowerBound: extra.total_is_lower_bound };
    },
    placeholderData: keepPreviousData,
    meta: { offline: { strip: withoutSettings } },
  });

/** How every channel did lately. A kind of its own: one answer for all pages of the list. */
export const channelFiguresQuery = queryOptions({
  queryKey: ['channel-figures'],
  queryFn: ({ signal }) => call(channelApi.figures, { signal }),
  meta: { offline: true },
});

export interface ChannelFilter {
  keyword: string;
  group: string;
  model: string;
}

/** Everything that matches: searches are not paged by the server. */
export const channelSearchQuery = (filter: ChannelFilter & { byId: boolean }) =>
  queryOptions({
    queryKey: ['channels', 'search', filter],
    queryFn: async ({ signal }): Promise<ChannelRows> => {
      const { keyword, group, model, byId } = filter;
      const channels = await call(channelApi.search, { query: { keyword, group, model, id_sort: byId }, signal });
      return { channels, total: channels.length };
    },
    placeholderData: keepPreviousData,
    meta: { offline: { strip: withoutSettings } },
  });

/** Tags with their totals, of the same channels as the search. */
export const channelTagsQuery = (filter: ChannelFilter) =>
  queryOptions({
    queryKey: ['channels', 'tags', filter],
    queryFn: ({ signal }) => call(channelTagApi.tags, { query: { ...filter }, signal }),
    placeholderData: keepPreviousData,
    meta: { offline: true },
  });

const runningMs = 1_500;
const restingMs = 60_000;

/** Whether tests or balance requests of channels are running; polled often while they are. */
export const channelRunsQuery = queryOptions({
  queryKey: ['channel-runs'],
  queryFn: ({ signal }) => call(channelRunApi.runs, { signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.tests?.state === 'running' || data?.balances?.state === 'running' ? runningMs : restingMs,
  staleTime: 0,
});

/** One channel as the editor needs it: always from the server. */
export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel', id],
    queryFn: ({ signal }) => call(channelApi.read, { params: { id: String(id) }, signal }),
    staleTime: 0,
  });

export const modelsByTypeQuery = queryOptions({
  queryKey: ['models-by-type'],
  queryFn: ({ signal }) => call(modelApi.byType, { signal }),
  staleTime: 10 * 60_000,
});

/** Proxies may hold a password: what a row does not show is not written to this device. */
function withoutSettings(data: unknown): unknown {
  const rows = ChannelRows.parse(data);
  return { ...rows, channels: rows.channels.map((channel) => ({ ...channel, setting: '', param_override: '' })) };
}
