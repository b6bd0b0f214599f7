// Checks whether a channel that lists a model supports a kind of call, by its provider's record.
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export function supportsCall(channel: PreparedChannel, { dialect, kind }: Pick<RelayEndpoint, 'dialect' | 'kind'>, model: string): boolean {
  // Every channel supports token counts, because the gateway counts if the provider cannot.
  return kind.isCount || channel.route(dialect, kind.name, model) !== null;
}
