// Indexes enabled channels by group and model, in tiers by priority and weight.
import { ChannelStatus } from '#shared/channels.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import type { PreparedChannel } from './prepared-channel.ts';

/** Channels of one priority, ready for a weighted draw. */
export interface Tier {
  readonly priority: number;
  readonly channels: readonly PreparedChannel[];
  /** Cumulative sums of the channels' weights; the last is the total. */
  readonly sums: readonly number[];
}

export interface ServedModels {
  /** Skips a channel that is disabled or unusable. */
  list(channel: PreparedChannel): void;
  unlist(channel: PreparedChannel): void;
  /** Highest priority first; empty if no channel serves the model to the group. */
  tiers(group: string, model: string): readonly Tier[];
  /** Names served to any of these groups; if undefined, to any group. Sorted. */
  names(groups?: readonly string[]): readonly string[];
  /** Groups that the model is served to. Sorted. */
  groupsOf(model: string): readonly string[];
}

/** Weight in the draw; channels of weight 0 are drawn, too. */
export function drawWeight(channel: Pick<PreparedChannel, 'weight'>): number {
  return Math.max(0, channel.weight) + 10;
}

/** Channels of one group and model; tiers are computed on first use. */
interface Entry {
  channels: Set<PreparedChannel>;
  tiers: readonly Tier[] | null;
  /** Tiers joined with the channels of the model's family, valid while `family` is unchanged. */
  joined: { family: readonly Tier[]; tiers: readonly Tier[] } | null;
}

const none: readonly Tier[] = [];

export function createServedModels(): ServedModels {
  const byGroup = new Map<string, Map<string, Entry>>();
  const shared = createSharedNames();
  /** Cached results of `names`, cleared on every change. */
  const namesOfGroups = new Map<string, readonly string[]>();

  return {
    list(channel) {
      namesOfGroups.clear();
      if (channel.status !== ChannelStatus.enabled || channel.problem !== null) return;
      for (const group of channel.groups) {
        let models = byGroup.get(group);
        if (models === undefined) byGroup.set(group, (models = new Map()));
        for (const model of channel.models) {
          let entry = models.get(model);
          if (entry === undefined) models.set(shared(model), (entry = { channels: new Set(), tiers: null, joined: null }));
          entry.channels.add(channel);
          entry.tiers = entry.joined = null;
        }
      }
    },
    unlist(channel) {
      namesOfGroups.clear();
      for (const group of channel.groups) {
        const models = byGroup.get(group);
        if (models === undefined) continue;
        for (const model of channel.models) {
          const entry = models.get(model);
          if (entry === undefined || !entry.channels.delete(channel)) continue;
          entry.tiers = entry.joined = null;
          if (entry.channels.size === 0) models.delete(model);
        }
        if (models.size === 0) byGroup.delete(group);
      }
    },
    tiers(group, model) {
      const models = byGroup.get(group);
      if (models === undefined) return none;
      const name = pricedName(model);
      const entry = models.get(model);
      const family = name === model ? undefined : models.get(name);
      if (entry !== undefined && family !== undefined) return joinedTiers(entry, family);
      return (entry ?? family)?.tiers ?? tiersOfEntry(entry ?? family);
    },
    names(groups) {
      const requested = groups ?? [...byGroup.keys()];
      const cacheKey = JSON.stringify(requested);
      let names = namesOfGroups.get(cacheKey);
      if (names === undefined) {
        names = [...new Set(requested.flatMap((group) => [...(byGroup.get(group)?.keys() ?? [])]))].sort();
        namesOfGroups.set(cacheKey, names);
      }
      return names;
    },
    groupsOf(model) {
      const name = pricedName(model);
      return [...byGroup]
        .filter(([, models]) => models.has(model) || models.has(name))
        .map(([group]) => group)
        .sort();
    },
  };
}

/** Interns names, because many channels list the same ones. */
function createSharedNames(): (name: string) => string {
  const names = new Map<string, string>();
  return (name) => {
    const known = names.get(name);
    if (known !== undefined) return known;
    names.set(name, name);
    return name;
  };
}

/** Joins the channels that list the model with those that list its family. */
function joinedTiers(entry: Entry, family: Entry): readonly Tier[] {
  const ofFamily = tiersOfEntry(family);
  if (entry.joined?.family !== ofFamily) {
    entry.joined = { family: ofFamily, tiers: tiersOf(new Set([...entry.channels, ...family.channels])) };
  }
  return entry.joined.tiers;
}

function tiersOfEntry(entry: Entry | undefined): readonly Tier[] {
  return entry === undefined ? none : (entry.tiers ??= tiersOf(entry.channels));
}

function tiersOf(channels: Iterable<PreparedChannel>): readonly Tier[] {
  const byPriority = new Map<number, PreparedChannel[]>();
  for (const channel of channels) {
    const members = byPriority.get(channel.priority);
    if (members === undefined) byPriority.set(channel.priority, [channel]);
    else members.push(channel);
  }
  return [...byPriority]
    .sort(([one], [other]) => other - one)
    .map(([priority, members]) => {
      members.sort((a, b) => a.id - b.id);
      let sum = 0;
      return { priority, channels: members, sums: members.map((channel) => (sum += drawWeight(channel))) };
    });
}
