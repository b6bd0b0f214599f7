// The channel of a conversation: its own, or the next one in its order where that is not well.
import type { ChannelChoice } from '#server/call/stages.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { drawWeight } from '#server/exchange/served-models.ts';
import { type Affinity, placeOf } from './affinity.ts';
import type { MovedCalls } from './moved-calls.ts';

/** Null: none is well. */
export type AffinityPick = (affinity: Affinity, choice: ChannelChoice) => PreparedChannel | null;

export function createAffinityPick(moves: MovedCalls): AffinityPick {
  return (affinity, { tiers, tried, health }) => {
    const factorOf = (channel: PreparedChannel) => (tried.has(channel.id) ? 0 : health(channel));
    const stayedAt = moves.channelOf(affinity);
    if (stayedAt !== undefined) {
      const channel = tiers.flatMap(({ channels }) => channels).find(({ id }) => id === stayedAt);
      if (channel !== undefined && factorOf(channel) === 1) {
        moves.moved(affinity, channel.id);
        return channel;
      }
    }
    let own: PreparedChannel | undefined;
    for (const { channels } of tiers) {
      const first = nearest(channels, affinity, whole);
      own ??= first;
      const isWell = first !== undefined && factorOf(first) === 1;
      const channel = isWell ? first : nearest(channels, affinity, factorOf);
      if (channel === undefined) continue;
      if (channel === own) moves.back(affinity);
      // A healthy channel without capacity for this call stays the conversation's channel.
      else if (own !== undefined && health(own) < 1) moves.moved(affinity, channel.id);
      return channel;
    }
    return null;
  };
}

const whole = () => 1;

/** Of those that have any of their weight left. */
function nearest(
  channels: readonly PreparedChannel[],
  affinity: Affinity,
  factorOf: (channel: PreparedChannel) => number,
): PreparedChannel | undefined {
  let found: PreparedChannel | undefined;
  let lowest = Infinity;
  for (const channel of channels) {
    const factor = factorOf(channel);
    if (factor === 0) continue;
    const place = channels.length === 1 ? 0 : placeOf(affinity, channel.id, drawWeight(channel) * factor);
    if (place >= lowest) continue;
    lowest = place;
    found = channel;
  }
  return found;
}
