// Selects the channel of an attempt: highest priority first, by weight within a priority, healthy channels before failing ones,
// none twice. A stage may choose instead.
import type { ChannelIndex } from '#server/exchange/channel-index.ts';
import { drawWeight, type Tier } from '#server/exchange/served-models.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { StageRun } from '#server/call/stages.ts';
import type { ChannelHealth } from './channel-health.ts';
import type { KeyPicker } from './key-picker.ts';
import { weightedIndex } from './weighted-index.ts';

export interface PickRequest {
  group: string;
  /** Model that the client requested. */
  model: string;
  /** Id of the calling user. */
  caller: number;
  /** Ids of channels that the call was sent to. */
  tried: ReadonlySet<number>;
  /** Stage that chooses among channels. If undefined, none does. */
  chooser?: StageRun | undefined;
}

export interface ChannelPicker {
  /** Returns the channel; null if all were tried, or there is none. The caller reports the outcome to `ChannelHealth`. */
  pick(request: PickRequest): PreparedChannel | null;
}

interface PickerDependencies {
  index: Pick<ChannelIndex, 'tiers'>;
  health: Pick<ChannelHealth, 'factor' | 'admit'>;
  keys: Pick<KeyPicker, 'isReady'>;
  /** Returns a random number in [0, 1). */
  random(): number;
}

/** Draws before the health of all channels in a tier is computed; a tier of healthy channels needs one draw. */
const quickDraws = 4;

export function createChannelPicker({ index, health, keys, random }: PickerDependencies): ChannelPicker {
  return {
    pick({ group, chooser, ...requested }) {
      const { model, caller, tried } = requested;
      const tiers = index.tiers(group, model);
      const own = chooser?.pick?.({ tiers, tried, health: (channel) => factorOf(channel, model, caller) });
      const channel = (own === undefined ? pickWell(tiers, requested) : own) ?? pickAny(tiers, tried);
      if (channel !== null) health.admit(channel.id, model, caller);
      return channel;
    },
  };

  /** A channel with several keys, of which none is ready, is paused. */
  function factorOf(channel: PreparedChannel, model: string, caller: number): number {
    if (channel.keys !== undefined && !keys.isReady(channel, { model, caller })) return 0;
    return health.factor(channel.id, model, caller);
  }

  function pickWell(tiers: readonly Tier[], { model, caller, tried }: Omit<PickRequest, 'group'>): PreparedChannel | null {
    for (const tier of tiers) {
      const healthOf = (channel: PreparedChannel) => (tried.has(channel.id) ? 0 : factorOf(channel, model, caller));
      // Accepting a drawn channel with the probability of its factor equals weighting all channels by their factors.
      for (let draw = 0; draw < quickDraws; draw++) {
        const channel = drawn(tier);
        if (channel === undefined) break;
        const factor = healthOf(channel);
        if (factor === 1 || (factor > 0 && random() < factor)) return channel;
      }
      const channel = weighed(tier.channels, (member) => drawWeight(member) * healthOf(member));
      if (channel !== null) return channel;
    }
    return null;
  }

  /** Selects a failing channel if no healthy one is left. */
  function pickAny(tiers: readonly Tier[], tried: ReadonlySet<number>): PreparedChannel | null {
    for (const tier of tiers) {
      const channel = weighed(tier.channels, (member) => (tried.has(member.id) ? 0 : drawWeight(member)));
      if (channel !== null) return channel;
    }
    return null;
  }

  /** Draws a channel by weight: the first whose running sum exceeds a random point. */
  function drawn({ channels, sums }: Tier): PreparedChannel | undefined {
    return channels[weightedIndex(sums, random() * (sums.at(-1) ?? 0))];
  }

  function weighed(channels: readonly PreparedChannel[], weightOf: (channel: PreparedChannel) => number): PreparedChannel | null {
    const weights = channels.map(weightOf);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    if (sum <= 0) return null;
    let rest = random() * sum;
    let last: PreparedChannel | null = null;
    for (const [at, channel] of channels.entries()) {
      const weight = weights[at] ?? 0;
      if (weight <= 0) continue;
      last = channel;
      rest -= weight;
      if (rest < 0) return channel;
    }
    return last;
  }
}
