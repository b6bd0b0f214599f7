import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { channelApi } from '#shared/channels.ts';
import { firstCallApi } from '#shared/first-call.ts';
import { modelApi } from '#shared/models.ts';
import { tokenApi } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';

const pollMs = 2_000;
const slowPollMs = 10_000;
/** Number of responses after which polling slows down. */
const quickPolls = 300;
/** As many as a page has at the most. */
const lookedTokens = 100;

const firstCallKey = ['first-call'] as const;

/**
 * State of the latest calls, polled. In the background too: a terminal often covers the browser. `token`: only calls by the token of that
 * id count.
 */
export const firstCallQuery = (token: number | undefined) =>
  queryOptions({
    queryKey: [...firstCallKey, token ?? 0],
    queryFn: ({ signal }) => call(firstCallApi.state, { query: { token }, signal }),
    refetchInterval: ({ state }) => (state.dataUpdateCount < quickPolls ? pollMs : slowPollMs),
    refetchIntervalInBackground: true,
    staleTime: 0,
    gcTime: 0,
  });

export const askFirstCall = (client: QueryClient) => client.invalidateQueries({ queryKey: firstCallKey });

/**
 * Channels, the newest first. A search, which answers up to a thousand: enabled ones may stand behind pages of disabled ones,
 * and the models of all of them are proposed.
 */
export const guideChannelsQuery = queryOptions({
  queryKey: ['channels', 'guide'],
  queryFn: ({ signal }) => call(channelApi.search, { query: { id_sort: true }, signal }),
  staleTime: 0,
  gcTime: 0,
});

/** The newest own tokens with their keys; never stored on the device. */
export const guideTokensQuery = queryOptions({
  queryKey: ['tokens', 'guide'],
  queryFn: ({ signal }) => call(tokenApi.list, { query: { p: 0, size: lookedTokens }, signal }),
  staleTime: 0,
  gcTime: 0,
});

export const guidePricesQuery = queryOptions({
  queryKey: ['guide-prices'],
  queryFn: ({ signal }) => call(modelApi.pricing, { signal }),
  staleTime: 0,
  gcTime: 0,
});
