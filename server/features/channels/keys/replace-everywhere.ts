// Finds a key in all channels and replaces it in one step, recorded and for a day reversible.
import type { KeyPlace, KeyReplacement, KeyState } from '#shared/channel-keys.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import { typedKeyProblem } from '#shared/channel-type-rules.ts';
import { movesKey } from '#shared/key-destination.ts';
import { keyEnding } from '#shared/pasted-keys.ts';
import { Role } from '#shared/roles.ts';
import { checkKeyIsFree } from '#server/audit-log/managed-records.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { KeyReplacementRecord, ReplacedPlace } from '#server/db/records/key-replacement.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { keyFields } from '#server/exchange/keys/new-key.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { enableChannel } from '#server/exchange/auto-enable.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { oneKey, storeText } from './change-keys.ts';
import { keyText, readKeys, withKeyLock } from './key-store.ts';
import { keyState } from './present-keys.ts';

const undoMs = 24 * 3_600_000;
const listed = 20;
/** Shorter endings would match many keys. */
const shortestEnding = 3;
const longestEnding = 4;
/** Maximum places of a search. */
const mostPlaces = 1000;

/** @param key whole, or its last characters */
export function findPlaces(context: AppContext, key: string): KeyPlace[] {
  const wanted = key.trim().replace(/^(?:…|\.{3})/, '');
  const hash = context.secrets.hash(key.trim());
  const isEnding = wanted.length >= shortestEnding && wanted.length <= longestEnding;
  return placesWhere(context, (found) => found.hash === hash || (isEnding && found.ending.endsWith(wanted)));
}

/** All places of the key in this place, that one included. @throws {AppError} `channel_key_not_found` */
export function placesOf(context: AppContext, place: Place): KeyPlace[] {
  const { hash } = keyAt(context, place);
  return placesWhere(context, (other) => other.hash === hash);
}

interface Place {
  channel_id: number;
  key_id: number;
}

/** Key in memory. Its ending is empty if it has none to show. */
interface FoundKey {
  id: number;
  hash: string;
  ending: string;
  state: KeyState;
  text(): string;
}

function keysOf({ keys, key, record, status }: PreparedChannel, time: number): FoundKey[] {
  if (keys !== undefined) {
    return keys.all.map((one) => {
      const { key_hash: hash, ending } = one.record;
      return { id: one.id, hash, ending, state: keyState(one.record, { time, isUsed: true }), text: () => one.channel.key };
    });
  }
  return key === '' ? [] : [{ id: 0, hash: record.key_hash, ending: keyEnding(key), state: stateOfChannel(status), text: () => key }];
}

function keyAt({ channels, now }: AppContext, { channel_id, key_id }: Place): FoundKey {
  const channel = channels.get(channel_id);
  const found = channel === undefined ? undefined : keysOf(channel, now()).find(({ id }) => id === key_id);
  if (found === undefined || found.text() === '') throw new AppError('channel_key_not_found');
  return found;
}

function placesWhere({ channels, now }: AppContext, isWanted: (key: FoundKey) => boolean): KeyPlace[] {
  const places: KeyPlace[] = [];
  const groups = new Map<string, number>();
  const time = now();
  for (const channel of channels.all()) {
    const { id, name, type, status } = channel;
    const all = keysOf(channel, time);
    for (const [index, key] of all.entries()) {
      if (!isWanted(key) || places.length >= mostPlaces) continue;
      const group = groups.get(key.hash) ?? groups.size;
      groups.set(key.hash, group);
      const where = { channel_id: id, channel_name: name, channel_type: type, channel_status: status, key_id: key.id };
      places.push({ ...where, position: index + 1, of: all.length, ending: key.ending, state: key.state, group });
    }
  }
  return places;
}

function stateOfChannel(status: number): KeyState {
  if (status === ChannelStatus.enabled) return 'healthy';
  return status === ChannelStatus.disabledByHand ? 'disabled' : 'refused';
}

interface Everywhere {
  from: { channel_id: number; key_id: number };
  channels: readonly number[];
  key: string;
  /** Enable what its upstream had refused with the old key. */
  enable: boolean;
}

/**
 * Replaces a key in these channels. Channels that do not have it any more are left alone.
 * @throws {AppError} before anything is changed, if the new key cannot be used in one of them
 */
export async function replaceEverywhere(
  context: AppContext,
  actor: UserRecord,
  { from, channels, key, enable }: Everywhere,
): Promise<KeyReplacement> {
  const old = keyAt(context, from).text();
  const wanted = new Set(channels);
  const places = placesOf(context, from).filter(({ channel_id: id }) => wanted.has(id));
  if (places.length === 0) throw new AppError('channel_key_not_found');
  const text = oneKey(key, places[0]?.channel_type ?? 0);
  if (text === old) throw new AppError('channel_key_known', {}, { field: 'key' });
  const hash = context.secrets.hash(text);
  for (const { channel_id: id, channel_name: name, channel_type: type } of places) {
    const channel = context.channels.get(id)?.record;
    if (channel !== undefined) checkKeyIsFree(channel);
    if (typedKeyProblem(type, text) !== undefined) throw new AppError('channel_key_type', { name }, { field: 'key' });
    if (context.channels.get(id)?.keys?.all.some((one) => one.record.key_hash === hash) === true)
      throw new AppError('channel_key_known', {}, { field: 'key' });
  }
  const record: KeyReplacementRecord = {
    id: await context.db.nextId('key_replacements'),
    at: context.now(),
    user_id: actor.id,
    username: actor.username,
    old_ending: keyEnding(old),
    new_ending: keyEnding(text),
    new_hash: hash,
    old_hash: context.secrets.hash(old),
    old_cipher: context.secrets.encrypt(old, 'channel_key'),
    places: [],
    undone_at: 0,
  };
  // Each place is recorded before its key is replaced, so that an undo finds it whatever fails in between.
  await context.db.collection('key_replacements').insert(record);
  const storePlaces = () => context.db.collection('key_replacements').patch({ id: record.id }, { set: { places: record.places } });
  const begin = async (place: ReplacedPlace) => {
    record.places.push(place);
    await storePlaces();
  };
  for (const { channel_id: id } of places) {
    const known = record.places.length;
    if ((await swap(context, id, { old, text, enable, begin })) || record.places.length === known) continue;
    record.places.pop();
    await storePlaces();
  }
  await noteInLog(context, actor, record, 'key_replaced');
  return presentReplacement(context, record);
}

interface Swap {
  old: string;
  text: string;
  enable: boolean;
  /** Called before the key is replaced. */
  begin?(place: ReplacedPlace): Promise<void>;
  check?(channel: ChannelRecord): void;
}

/** Returns false if the channel does not have the old key any more, or got the new one meanwhile. */
function swap(context: AppContext, channelId: number, { old, text, enable, begin, check }: Swap): Promise<boolean> {
  return withKeyLock(context, channelId, async () => {
    const channel = await context.db.collection('channels').get(channelId);
    if (channel === null) return false;
    checkKeyIsFree(channel);
    check?.(channel);
    const { type, base_url, setting } = channel;
    const place = { channel_id: channelId, destination: { type, base_url, setting } };
    const oldHash = context.secrets.hash(old);
    const records = await readKeys(context, channelId);
    if (records.length > 0) {
      const record = records.find(({ key_hash }) => key_hash === oldHash);
      const newHash = context.secrets.hash(text);
      if (record === undefined || records.some(({ key_hash }) => key_hash === newHash)) return false;
      await begin?.({ ...place, key_id: record.id });
      await storeText(context, channel, { record, text, isEnabling: enable });
      return true;
    }
    if (channel.key_hash !== oldHash) return false;
    await begin?.({ ...place, key_id: 0 });
    const { key_cipher, key_hash } = keyFields(context.secrets, text);
    const set = { key_cipher, key_hash };
    const swapped = await context.db
      .collection('channels')
      .patch({ id: channelId, key_hash: oldHash }, { set, increment: { revision: 1 } });
    if (swapped === null) return false;
    await context.changes.announce('channel', channelId);
    if (enable && channel.status === ChannelStatus.disabledBySystem) await enableChannel(context, channelId);
    return true;
  });
}

/**
 * Puts the old key back where the new one still is.
 * @throws {AppError} `key_replacement_late`; `key_replacement_moved` if a channel would send the old key elsewhere by now
 */
export async function undoReplacement(context: AppContext, actor: UserRecord, id: number): Promise<KeyReplacement> {
  const replacements = context.db.collection('key_replacements');
  const record = await replacements.get(id);
  if (record === null || !isUndoable(context, record)) throw new AppError('key_replacement_late');
  const destinations = new Map(record.places.map((place) => [place.channel_id, place.destination]));
  const check = (channel: ChannelRecord): void => {
    checkKeyIsFree(channel);
    const before = destinations.get(channel.id);
    if (actor.role >= Role.root || (before !== undefined && !movesKey(before, channel))) return;
    throw new AppError('key_replacement_moved', { name: channel.name });
  };
  for (const { channel_id } of record.places) {
    const channel = await context.db.collection('channels').get(channel_id);
    if (channel !== null) check(channel);
  }
  const old = keyText(context, { key_cipher: record.old_cipher });
  for (const { channel_id, key_id } of record.places) {
    const text = await currentText(context, { channel_id, key_id, hash: record.new_hash });
    if (text !== null) await swap(context, channel_id, { old: text, text: old, enable: false, check });
  }
  // Marked last: what failed halfway is put back by another attempt. Of two at once one is recorded.
  const set = { undone_at: context.now() };
  if ((await replacements.patch({ id, undone_at: 0 }, { set })) === null) throw new AppError('key_replacement_late');
  await noteInLog(context, actor, record, 'key_replacement_undone');
  return presentReplacement(context, { ...record, ...set });
}

/** Text of the key in that place if it has this hash; null if it was changed since. */
async function currentText(
  context: AppContext,
  { channel_id, key_id, hash }: { channel_id: number; key_id: number; hash: string },
): Promise<string | null> {
  const stored: Pick<ChannelKeyRecord, 'key_cipher' | 'key_hash'> | null =
    (await context.db.collection('channel_keys').first({ channel_id, key_hash: hash })) ??
    (key_id === 0 ? await context.db.collection('channels').get(channel_id) : null);
  return stored?.key_hash === hash ? keyText(context, stored) : null;
}

export async function listReplacements(context: AppContext): Promise<KeyReplacement[]> {
  const found = await context.db.collection('key_replacements').find({}, { sort: [['at', -1]], limit: listed });
  return found.map((record) => presentReplacement(context, record));
}

/** Removes old keys that cannot be put back any more, and records of long ago. */
export async function sweepReplacements({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const replacements = db.collection('key_replacements');
  await replacements.patchAll({ at: { lte: now() - undoMs }, old_cipher: { gt: '' } }, { set: { old_cipher: '' } });
  await replacements.remove({ at: { lte: now() - retentionMs } });
}

const retentionMs = 365 * undoMs;

function isUndoable({ now }: Pick<AppContext, 'now'>, { at, undone_at, old_cipher }: KeyReplacementRecord): boolean {
  return undone_at === 0 && old_cipher !== '' && now() - at < undoMs;
}

function presentReplacement(context: AppContext, record: KeyReplacementRecord): KeyReplacement {
  return {
    id: record.id,
    time: Math.floor(record.at / 1000),
    by: record.username,
    old_ending: record.old_ending,
    new_ending: record.new_ending,
    undo_until: isUndoable(context, record) ? Math.floor((record.at + undoMs) / 1000) : 0,
    undone_time: Math.floor(record.undone_at / 1000),
    places: record.places.map(({ channel_id, key_id }) => presentPlace(context, channel_id, key_id)),
  };
}

function presentPlace({ channels, keyFigures, now }: AppContext, channelId: number, keyId: number): KeyReplacement['places'][number] {
  const channel = channels.get(channelId);
  const key = channel?.keys?.all.find(({ id }) => id === keyId);
  const state =
    key === undefined
      ? stateOfChannel(channel?.status ?? ChannelStatus.disabledByHand)
      : keyState(key.record, { time: now(), isUsed: true });
  const calls = keyFigures.pending(channelId).get(keyId)?.calls ?? 0;
  return { channel_id: channelId, channel_name: channel?.name ?? '', key_id: keyId, state, calls };
}

async function noteInLog(
  context: AppContext,
  actor: UserRecord,
  { old_ending, new_ending, places }: KeyReplacementRecord,
  code: 'key_replaced' | 'key_replacement_undone',
): Promise<void> {
  const event = { code, old_ending, new_ending, channels: places.map(({ channel_id }) => channel_id) };
  const words = code === 'key_replaced' ? '替换渠道密钥' : '撤销替换渠道密钥';
  await writeLog(context, {
    user_id: actor.id,
    username: actor.username,
    type: LogType.management,
    content: `${words}：…${old_ending} → …${new_ending}，渠道 ${event.channels.join(', ')}`,
    event,
  });
}
