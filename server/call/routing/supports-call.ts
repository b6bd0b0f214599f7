// Whether a channel that lists a model is one for that kind of call: its provider's record says what it can do.
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export function supportsCall(channel: PreparedChannel, { dialect, kind }: Pick<RelayEndpoint, 'dialect' | 'kind'>, model: string): boolean {
  // What a provider cannot count is counted here.
  return kind.isCount || channel.route(dialect, kind.name, model) !== null;
}
