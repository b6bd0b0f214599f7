// The ways of the channels that a call may go to, before one is picked.
import type { RelayEndpoint } from '#server/relay/endpoints.ts';
import type { OwnModel } from '#server/relay/own-models.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { Admission } from '#server/relay/admission/admission.ts';
import type { ChannelWay } from '#server/upstream/find-way.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

export interface AskedCall {
  admission: Admission;
  endpoint: RelayEndpoint;
  model: string;
  /** One that was trained for the caller; missing: none. */
  ownModel?: OwnModel | null;
}

/** All of a channel that may be asked in several. */
export function* waysOf(services: RelayServices, call: AskedCall): Generator<ChannelWay> {
  for (const way of firstWays(services, call)) {
    yield way;
    if (way.otherwise !== undefined) yield way.otherwise;
    if (way.withFunctions !== undefined) yield way.withFunctions;
  }
}

/** The largest number of tokens on those ways; 0: none has any. */
export function largestOf(services: RelayServices, call: AskedCall, tokensOf: (way: ChannelWay) => number | undefined): number {
  let largest = 0;
  for (const way of waysOf(services, call)) largest = Math.max(largest, tokensOf(way) ?? 0);
  return largest;
}

function* firstWays({ channels }: RelayServices, { admission, endpoint, model, ownModel }: AskedCall): Generator<ChannelWay> {
  const wayOf = (channel: PreparedChannel) => channel.way(endpoint.dialect, endpoint.kind.name, model);
  if (ownModel !== undefined && ownModel !== null) {
    const way = wayOf(ownModel.channel);
    if (way !== null) yield way;
    return;
  }
  if (admission.pinnedChannel !== undefined) {
    const pinned = channels.get(admission.pinnedChannel);
    const way = pinned === undefined ? null : wayOf(pinned);
    if (way !== null) yield way;
    return;
  }
  for (const tier of channels.tiers(admission.group, model)) {
    for (const channel of tier.channels) {
      const way = wayOf(channel);
      if (way !== null) yield way;
    }
  }
}
