// What requests of a batch may ask for. https://platform.openai.com/docs/api-reference/batch/create
import { relayEndpoints } from '#server/relay/endpoints.ts';
import type { RelayEndpoint } from '#server/relay/endpoints.ts';
import type { ChannelWay } from '#server/upstream/find-way.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

/** What the vendor has beside them (pictures, videos, moderations) is not served here. */
export const batchPaths: readonly string[] = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses'];

/** Undefined: requests of a batch cannot ask for that. */
export function batchEndpoint(path: string): RelayEndpoint | undefined {
  return batchPaths.includes(path) ? relayEndpoints.find((endpoint) => endpoint.path === path) : undefined;
}

/** The way of such requests: they lie in a file, so the provider has to speak as their caller does. Null: it does not. */
export function batchWay(channel: PreparedChannel, { dialect, kind }: RelayEndpoint, model: string): ChannelWay | null {
  if (channel.provider?.runsBatches !== true) return null;
  const way = channel.way(dialect, kind.name, model);
  return way === null || way.identity === null || way.isInPieces ? null : way;
}
