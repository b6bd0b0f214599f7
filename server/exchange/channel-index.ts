// In-memory index of all prepared channels by group and model. The change feed applies edits within a second; a slow
// sweep corrects missed ones.
import { reasonText } from '#shared/errors.ts';
import type { Logger } from 'pino';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Database } from '#server/db/database.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { areSameKeys, createChannelKeys } from './keys/channel-keys.ts';
import { prepareChannel, type PreparedChannel } from './prepared-channel.ts';
import { createRefusedFields } from './refused-fields.ts';
import { createServedModels, type Tier } from './served-models.ts';

export interface ChannelIndex {
  /** Reads all channels and follows the change feed. */
  start(): Promise<void>;
  stop(): void;
  /** Reads all channels again. */
  reload(): Promise<void>;
  /** Returns any channel, also a disabled or unusable one. */
  get(id: number): PreparedChannel | undefined;
  all(): Iterable<PreparedChannel>;
  /** Enabled and usable channels, highest priority first; empty if none serves the model to the group. */
  tiers(group: string, model: string): readonly Tier[];
  /** Names of the models that enabled channels serve to any of these groups; if undefined, to any group. Sorted. */
  enabledModels(groups?: readonly string[]): readonly string[];
  /** Groups that the model is served to. Sorted. */
  groupsOf(model: string): readonly string[];
  /** Increases with every change; key for caches derived from channels. */
  readonly revision: number;
}

/**
 * Reports whether the channel lists the model. GPTs are one family: an entry `gpt-4-gizmo-*` matches all of them, and a
 * channel may list single ones instead.
 */
export function offersModel({ models }: Pick<PreparedChannel, 'models'>, model: string): boolean {
  return models.includes(model) || models.includes(pricedName(model));
}

interface IndexContext {
  db: Database;
  changes: ChangeFeed;
  secrets: Secrets;
  settings: Settings;
  log: Logger;
}

const sweepSeconds = 60;

export function createChannelIndex(context: IndexContext): ChannelIndex {
  const collection = context.db.collection('channels');
  const keyRows = context.db.collection('channel_keys');
  const byId = new Map<number, PreparedChannel>();
  const served = createServedModels();
  let revision = 0;
  const stops: (() => void)[] = [];

  function keep(record: ChannelRecord, rows: readonly ChannelKeyRecord[]): void {
    const known = byId.get(record.id);
    const siteUrl = context.settings.get('ServerAddress');
    if (known !== undefined && known.siteUrl === siteUrl && isSame(known, record, rows)) return;
    const channel = prepareWithKeys(context, { record, rows, siteUrl });
    if (channel.problem !== null && record.status === ChannelStatus.enabled) {
      context.log.warn({ channel: record.id, problem: reasonText(channel.problem, 'en') }, 'a channel cannot be used');
    }
    if (known !== undefined) served.unlist(known);
    byId.set(record.id, channel);
    served.list(channel);
    revision++;
  }

  function drop(id: number): void {
    const known = byId.get(id);
    if (known === undefined) return;
    served.unlist(known);
    byId.delete(id);
    revision++;
  }

  // Serializes readings: an older one must never overwrite a newer one.
  let reading: Promise<void> = Promise.resolve();
  function inTurn(read: () => Promise<void>): Promise<void> {
    reading = reading.then(read, read);
    return reading;
  }

  const read = ({ ids, keys, records }: Reading) =>
    inTurn(async () => {
      const gone = new Set(ids);
      const rows = await byChannel(keys());
      for await (const record of await records()) {
        gone.delete(record.id);
        keep(record, rows.get(record.id) ?? []);
      }
      gone.forEach(drop);
    });
  const reload = () => read({ ids: byId.keys(), keys: () => keyRows.each({}), records: () => collection.each({}) });
  const reloadSome = (ids: readonly number[]) =>
    read({ ids, keys: () => keyRows.find({ channel_id: { in: ids } }), records: () => collection.find({ id: { in: ids } }) });

  const logged = (work: Promise<void>) =>
    work.catch((error: unknown) => context.log.warn({ err: error }, 'the channels could not be read'));

  return {
    async start() {
      stops.push(context.changes.listenMany('channel', (keys) => logged(reloadSome(keys.map(Number)))));
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
    tiers: served.tiers,
    enabledModels: served.names,
    groupsOf: served.groupsOf,
    get revision() {
      return revision;
    },
  };
}

interface Reading {
  ids: Iterable<number>;
  keys(): Records<ChannelKeyRecord>;
  records(): Records<ChannelRecord>;
}

type Records<T> = AsyncIterable<T> | Promise<T[]>;

/** Returns the keys of each channel that has several, the oldest first. */
async function byChannel(keys: Records<ChannelKeyRecord>): Promise<Map<number, ChannelKeyRecord[]>> {
  const rows = new Map<number, ChannelKeyRecord[]>();
  for await (const row of await keys) {
    const own = rows.get(row.channel_id);
    if (own === undefined) rows.set(row.channel_id, [row]);
    else own.push(row);
  }
  for (const own of rows.values()) own.sort((one, other) => one.id - other.id);
  return rows;
}

interface KeyedRecord {
  record: ChannelRecord;
  /** Records of its keys; none if it has one. */
  rows: readonly ChannelKeyRecord[];
  siteUrl: string;
}

function prepareWithKeys({ secrets, settings }: IndexContext, { record, rows, siteUrl }: KeyedRecord): PreparedChannel {
  const refusedFields = createRefusedFields();
  const withKey = ({ key_cipher, key_hash }: ChannelKeyRecord) => ({ ...record, key_cipher, key_hash });
  const keys = createChannelKeys(rows, (row) => prepareChannel(withKey(row), secrets, { siteUrl, settings, refusedFields, keyId: row.id }));
  if (keys === undefined) return prepareChannel(record, secrets, { siteUrl, settings });
  return prepareChannel(withKey(keys.lead.record), secrets, { siteUrl, settings, refusedFields, keys });
}

/** Compares the fields that calls depend on, not usage and test figures. */
function isSame({ record: a, keys }: PreparedChannel, b: ChannelRecord, rows: readonly ChannelKeyRecord[]): boolean {
  if (!areSameKeys(keys?.all ?? [], rows)) return false;
  // With several keys, the prepared record has the first enabled one.
  const isOther = (field: (typeof relevant)[number]) => a[field] !== b[field] && (keys === undefined || field !== 'key_cipher');
  return a.revision === b.revision && !relevant.some(isOther);
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
