// How a call goes through a channel, with everything that is known of it before its body is encoded.
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
  /** The type of a tool that searches vector stores. Missing: none does. */
  searchingTool?: string | undefined;
}

/** Null: the provider has no such call. Where none of its formats searches stores, the request is refused when it is built. */
export function resolveRoute(channel: PreparedChannel, { client, kind, model, version, searchingTool }: RoutedCall): ChannelRoute | null {
  const searching = searchingTool === undefined ? null : channel.route(client, kind.name, model, { version, searchesStores: true });
  return searching ?? channel.route(client, kind.name, model, { version });
}
