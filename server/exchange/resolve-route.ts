// Resolves the route of a call through a channel before the body is encoded.
import type { CallKind } from '#server/kinds/call-kind.ts';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import type { ChannelRoute } from './find-route.ts';
import type { PreparedChannel } from './prepared-channel.ts';

export interface RoutedCall {
  client: ClientDialect;
  kind: CallKind;
  model: string;
  /** `api-version` of the client's query. */
  version?: string | undefined;
  /** Type of the tool that searches vector stores; undefined if there is none. */
  searchingTool?: string | undefined;
}

/**
 * Returns null if the provider does not support the call. If no format can search stores, the request is rejected when
 * it is built.
 */
export function resolveRoute(channel: PreparedChannel, { client, kind, model, version, searchingTool }: RoutedCall): ChannelRoute | null {
  const searching = searchingTool === undefined ? null : channel.route(client, kind.name, model, { version, searchesStores: true });
  return searching ?? channel.route(client, kind.name, model, { version });
}
