// Every channel, prepared and in memory, and which of them serve a model to a group. An edit anywhere is seen within a
// second through the change feed; a slow sweep corrects whatever the feed may have missed.
import type { AppContext } from '#server/context.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { prepareChannel } from './prepared-channel.ts';
import type { PreparedChannel } from './prepared-channel.ts';

/** Channels of one priority, ready for a weighted draw. */
export interface Tier {
  readonly priority: number;
  readonly channels: readonly PreparedChannel[];
  /** Running sums of the channels' weights; the last is the whole. */
  readonly sums: readonly number[];
}

export interface ChannelIndex {
  /** Reads all channels and follows the change feed. */
  start(): Promise<void>;
  stop(): void;
  /** Reads all channels again. */
  reload(): Promise<void>;
  /** Any channel, also a disabled or unusable one. */
  get(id: number): PreparedChannel | undefined;
  all(): Iterable<PreparedChannel>;
  /** Enabled and usable channels, highest priority first; empty when nobody serves the model to the group. */
  tiers(group: string, model: string): readonly Tier[];
  /** Names of the models that enabled channels serve to any of these groups; without groups, to anybody. Sorted. */
  enabledModels(groups?: readonly string[]): readonly string[];
  /** Groups that the model is served to. Sorted. */
  groupsOf(model: string): readonly string[];
  /** Grows with every change; for caches of what is derived from channels. */
  readonly revision: number;
}

/**
 * Whether the channel lists the model. All GPTs are one family: an entry `gpt-4-gizmo-*` stands for every one of them, and a
 * channel may list single ones instead.
 */
export function offersModel({ models }: Pick<PreparedChannel, 'models'>, model: string): boolean {
  return models.includes(model) || models.includes(pricedName(model));
}

/** A channel of weight 0 is drawn too. */
export function drawWeight(channel: Pick<PreparedChannel, 'weight'>): number {
  return Math.max(0, channel.weight) + 10;
}

type IndexContext = Pick<AppContext, 'db' | 'changes' | 'secrets' | 'settings' | 'log'>;

/** The channels of one (group, model), and their tiers once somebody asked. */
interface Entry {
  channels: PreparedChannel[];
  tiers: readonly Tier[] | null;
  /** Together with the channels that serve the model's whole family, as long as those are the same. */
  joined: { family: readonly Tier[]; tiers: readonly Tier[] } | null;
}

const sweepSeconds = 60;
const none: readonly Tier[] = [];

export function createChannelIndex(context: IndexContext): ChannelIndex {
  const collection = context.db.collection('channels');
  const byId = new Map<number, PreparedChannel>();
  const byGroup = new Map<string, Map<string, Entry>>();
  // The same names stand in many channels; one copy of each is kept.
  const names = new Map<string, string>();
  let revision = 0;
  let derived: { revision: number; models: Map<string, readonly string[]> } = { revision: -1, models: new Map() };
  const stops: (() => void)[] = [];

  function keep(record: ChannelRecord): void {
    const known = byId.get(record.id);
    const siteUrl = context.settings.get('ServerAddress');
    if (known !== undefined && known.siteUrl === siteUrl && isSame(known.record, record)) return;
    const channel = prepareChannel(record, context.secrets, { siteUrl });
    if (channel.problem !== null && record.status === ChannelStatus.enabled) {
      context.log.warn({ channel: record.id, problem: channel.problem }, 'a channel cannot be used');
    }
    if (known !== undefined) unlist(known);
    byId.set(record.id, channel);
    list(channel);
    revision++;
  }

  function drop(id: number): void {
    const known = byId.get(id);
    if (known === undefined) return;
    unlist(known);
    byId.delete(id);
    revision++;
  }

  function list(channel: PreparedChannel): void {
    if (channel.status !== ChannelStatus.enabled || channel.problem !== null) return;
    for (const group of channel.groups) {
      let models = byGroup.get(group);
      if (models === undefined) byGroup.set(group, (models = new Map()));
      for (const model of channel.models) {
        let entry = models.get(model);
        if (entry === undefined) models.set(shared(model), (entry = { channels: [], tiers: null, joined: null }));
        entry.channels.push(channel);
        entry.tiers = entry.joined = null;
      }
    }
  }

  function unlist(channel: PreparedChannel): void {
    for (const group of channel.groups) {
      const models = byGroup.get(group);
      if (models === undefined) continue;
      for (const model of channel.models) {
        const entry = models.get(model);
        const at = entry?.channels.indexOf(channel) ?? -1;
        if (entry === undefined || at < 0) continue;
        entry.channels.splice(at, 1);
        entry.tiers = entry.joined = null;
        if (entry.channels.length === 0) models.delete(model);
      }
      if (models.size === 0) byGroup.delete(group);
    }
  }

  function shared(name: string): string {
    const known = names.get(name);
    if (known !== undefined) return known;
    names.set(name, name);
    return name;
  }

  // One reader at a time: an older reading must never overwrite a newer one.
  let reading: Promise<void> = Promise.resolve();
  function inTurn(read: () => Promise<void>): Promise<void> {
    reading = reading.then(read, read);
    return reading;
  }

  const reload = () =>
    inTurn(async () => {
      const seen = new Set<number>();
      for await (const record of collection.each({})) {
        seen.add(record.id);
        keep(record);
      }
      for (const id of byId.keys()) if (!seen.has(id)) drop(id);
    });

  const reloadOne = (key: number | string) =>
    inTurn(async () => {
      const record = await collection.get(Number(key));
      if (record === null) drop(Number(key));
      else keep(record);
    });

  const logged = (work: Promise<void>) =>
    work.catch((error: unknown) => context.log.warn({ err: error }, 'the channels could not be read'));

  return {
    async start() {
      stops.push(context.changes.listen('channel', (key) => logged(reloadOne(key))));
      stops.push(context.changes.onGap(() => logged(reload())));
      await reload();
      const timer = setInterval(() => void logged(reload()), sweepSeconds * 1000);
      timer.unref();
      stops.push(() => clearInterval(timer));
    },
    stop() {
      for (const stop of stops.splice(0)) stop();
    },
    reload,
    get: (id) => byId.get(id),
    all: () => byId.values(),
    tiers(group, model) {
      const models = byGroup.get(group);
      if (models === undefined) return none;
      const name = pricedName(model);
      const entry = models.get(model);
      const family = name === model ? undefined : models.get(name);
      if (entry === undefined || family === undefined) return tiersOfEntry(entry ?? family);
      const ofFamily = tiersOfEntry(family);
      if (entry.joined?.family !== ofFamily) {
        entry.joined = { family: ofFamily, tiers: tiersOf([...new Set([...entry.channels, ...family.channels])]) };
      }
      return entry.joined.tiers;
    },
    enabledModels(groups) {
      if (derived.revision !== revision) derived = { revision, models: new Map() };
      const asked = groups ?? [...byGroup.keys()];
      const cacheKey = JSON.stringify(asked);
      let models = derived.models.get(cacheKey);
      if (models === undefined) {
        models = [...new Set(asked.flatMap((group) => [...(byGroup.get(group)?.keys() ?? [])]))].sort();
        derived.models.set(cacheKey, models);
      }
      return models;
    },
    groupsOf(model) {
      const name = pricedName(model);
      return [...byGroup]
        .filter(([, models]) => models.has(model) || models.has(name))
        .map(([group]) => group)
        .sort();
    },
    get revision() {
      return revision;
    },
  };
}

function tiersOfEntry(entry: Entry | undefined): readonly Tier[] {
  return entry === undefined ? none : (entry.tiers ??= tiersOf(entry.channels));
}

function tiersOf(channels: readonly PreparedChannel[]): readonly Tier[] {
  const priorities = [...new Set(channels.map((channel) => channel.priority))].sort((a, b) => b - a);
  return priorities.map((priority) => {
    const members = channels.filter((channel) => channel.priority === priority).sort((a, b) => a.id - b.id);
    let sum = 0;
    return { priority, channels: members, sums: members.map((channel) => (sum += drawWeight(channel))) };
  });
}

/** Equal in all that a call depends on; figures of use and tests are not part of it. */
function isSame(a: ChannelRecord, b: ChannelRecord): boolean {
  return a.revision === b.revision && relevant.every((field) => a[field] === b[field]);
}

const relevant = [
  'type',
  'name',
  'key_cipher',
  'openai_organization',
  'status',
  'weight',
  'priority',
  'base_url',
  'other',
  'models',
  'group',
  'model_mapping',
  'status_code_mapping',
  'setting',
  'param_override',
  'auto_ban',
  'tag',
  'test_model',
  'max_input_tokens',
] as const satisfies readonly (keyof ChannelRecord)[];
