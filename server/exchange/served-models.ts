// Which of the channels in use serve a model to a group, by priority and weight.
import { ChannelStatus } from '#shared/channels.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import type { PreparedChannel } from './prepared-channel.ts';

/** Channels of one priority, ready for a weighted draw. */
export interface Tier {
  readonly priority: number;
  readonly channels: readonly PreparedChannel[];
  /** Running sums of the channels' weights; the last is the whole. */
  readonly sums: readonly number[];
}

export interface ServedModels {
  /** Leaves out a channel that is disabled or unusable. */
  list(channel: PreparedChannel): void;
  unlist(channel: PreparedChannel): void;
  /** Highest priority first; empty when nobody serves the model to the group. */
  tiers(group: string, model: string): readonly Tier[];
  /** Names that are served to any of these groups; without groups, to anybody. Sorted. */
  names(groups?: readonly string[]): readonly string[];
  /** Groups that the model is served to. Sorted. */
  groupsOf(model: string): readonly string[];
}

/** A channel of weight 0 is drawn too. */
export function drawWeight(channel: Pick<PreparedChannel, 'weight'>): number {
  return Math.max(0, channel.weight) + 10;
}

/** The channels of one (group, model), and their tiers once somebody asked. */
interface Entry {
  channels: Set<PreparedChannel>;
  tiers: readonly Tier[] | null;
  /** Together with the channels that serve the model's whole family, as long as those are the same. */
  joined: { family: readonly Tier[]; tiers: readonly Tier[] } | null;
}

const none: readonly Tier[] = [];

export function createServedModels(): ServedModels {
  const byGroup = new Map<string, Map<string, Entry>>();
  const shared = createSharedNames();
  /** Results of `names`, until something changes. */
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
      return entry === undefined || family === undefined ? tiersOfEntry(entry ?? family) : joinedTiers(entry, family);
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

/** The same names stand in many channels; one copy of each is kept. */
function createSharedNames(): (name: string) => string {
  const names = new Map<string, string>();
  return (name) => {
    const known = names.get(name);
    if (known !== undefined) return known;
    names.set(name, name);
    return name;
  };
}

/** The channels that list the model itself, and those that list its family. */
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
