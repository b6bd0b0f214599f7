// Adds, changes, replaces and removes keys of a channel without touching the others.
import { type ChannelKeyEdit, type KeyIntake, mostChannelKeys } from '#shared/channel-keys.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { AppError, errorText, type Language } from '#shared/errors.ts';
import { keyFormsText } from '#shared/channel-type-rules.ts';
import { isChannelText } from '#shared/channel-rules.ts';
import { keyEnding, type PastedKey, readPastedKeys } from '#shared/pasted-keys.ts';
import { checkKeyIsFree } from '#server/audit-log/managed-records.ts';
import type { AppContext } from '#server/context.ts';
import type { Patch } from '#server/db/collection.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { enableWithKeys } from '#server/exchange/keys/disable-key.ts';
import { keyFields, newKey } from '#server/exchange/keys/new-key.ts';
import type { ChannelActor } from '../edit-channel.ts';
import { readChannel } from '../store.ts';
import { ensureRecords, freshState, publishKeys, readKey, readKeys, statusBy, withKeyLock } from './key-store.ts';

interface Pasted {
  intake: KeyIntake;
  added: PastedKey[];
}

/** Sorts pasted keys into new ones, known ones and what is no key. @throws {AppError} `channel_keys_full` */
export async function checkPasted(context: AppContext, channel: ChannelRecord, text: string, language: Language): Promise<Pasted> {
  const pasted = readPastedKeys(text, channel.type);
  // Half of them may be known.
  if (pasted.length > 2 * mostChannelKeys) throw new AppError('channel_keys_full', { limit: mostChannelKeys }, { field: 'keys' });
  const records = await readKeys(context, channel.id);
  const stored = records.length > 0 ? records.map(({ key_hash }) => key_hash) : [channel.key_hash];
  const positions = new Map(stored.map((hash, index) => [hash, index + 1]));
  const intake: KeyIntake = { added: 0, known: [], invalid: [] };
  const added: PastedKey[] = [];
  for (const key of pasted) {
    const { line, text: own, problem } = key;
    const position = positions.get(context.secrets.hash(own));
    if (problem !== undefined) intake.invalid.push({ line, reason: problemText(problem, channel.type, language) });
    else if (position !== undefined) intake.known.push({ line, ending: keyEnding(own), position });
    else added.push(key);
  }
  intake.added = added.length;
  return { intake, added };
}

function problemText(problem: NonNullable<PastedKey['problem']>, type: number, language: Language): string {
  if (problem === 'key_characters') return errorText('channel_key_invalid', language);
  return errorText(`channel_${problem}`, language, { forms: keyFormsText(type) });
}

export function addKeys(
  context: AppContext,
  actor: ChannelActor,
  {
    id,
    keys: text,
    weight,
    status,
    language,
  }: { id: number; keys: string; weight?: number | undefined; status?: number | undefined; language: Language },
): Promise<KeyIntake> {
  return withKeyLock(context, id, async () => {
    const channel = await readChannel(context, id);
    checkKeyIsFree(channel);
    const { intake, added } = await checkPasted(context, channel, text, language);
    if (added.length === 0) return intake;
    const records = await ensureRecords(context, channel);
    if (records.length + added.length > mostChannelKeys)
      throw new AppError('channel_keys_full', { limit: mostChannelKeys }, { field: 'keys' });
    const fresh: ChannelKeyRecord[] = [];
    for (const key of added) {
      const record = newKey(context, {
        channel_id: id,
        text: key.text,
        ...(weight === undefined ? {} : { weight }),
        ...(status === undefined ? {} : { status }),
      });
      const by = status === ChannelStatus.disabledByHand ? actor.username : '';
      fresh.push({ ...record, status_by: by, id: await context.db.nextId('channel_keys') });
    }
    // The unique index refuses what another process has added meanwhile.
    const isAdded = await context.db.write(fresh.map((record) => ({ insert: record, into: 'channel_keys', ignoreConflict: true })));
    await publishKeys(context, id);
    await enableWithKeys(context, id);
    return { ...intake, added: isAdded.filter(Boolean).length };
  });
}

interface KeyOf {
  id: number;
  key: number;
}

export function editKey(context: AppContext, actor: ChannelActor, { id, key, edit }: KeyOf & { edit: ChannelKeyEdit }): Promise<void> {
  const { weight, most_parallel, status } = edit;
  const note = edit.note?.trim();
  if (note !== undefined && !isChannelText(note)) throw new AppError('channel_text_invalid', { field: 'note' }, { field: 'note' });
  return withKeyLock(context, id, async () => {
    // The file does not decide whether a key is in use.
    if (weight !== undefined || most_parallel !== undefined || note !== undefined) checkKeyIsFree(await readChannel(context, id));
    const record = await storedKey(context, { id, key });
    if (edit.revision !== undefined && edit.revision !== record.revision) throw new AppError('revision_conflict');
    const set: Partial<ChannelKeyRecord> = {
      ...(weight === undefined ? {} : { weight }),
      ...(most_parallel === undefined ? {} : { most_parallel }),
      ...(note === undefined ? {} : { note }),
      ...(status === undefined || status === record.status ? {} : statusBy(context, status, actor.username)),
    };
    await patchKey(context, record, { set });
    await publishKeys(context, id);
    if (set.status === ChannelStatus.enabled) await begunAgain(context, id, record.id);
  });
}

/** Returns how many were changed. */
export function setStatus(
  context: AppContext,
  actor: ChannelActor,
  { id, ids, status }: { id: number; ids: readonly number[]; status: number },
): Promise<number> {
  return withKeyLock(context, id, async () => {
    const wanted = new Set(ids);
    let changed = 0;
    for (const record of await readKeys(context, id)) {
      if (!wanted.has(record.id) || record.status === status) continue;
      await patchKey(context, record, { set: statusBy(context, status, actor.username) });
      changed += 1;
      if (status === ChannelStatus.enabled) await context.changes.announce('channel_key', `${record.id}:new`);
    }
    if (changed === 0) return 0;
    await publishKeys(context, id);
    await enableWithKeys(context, id);
    return changed;
  });
}

/** A key that was refused starts again; one that is disabled by hand stays so. */
export function replaceKey(
  context: AppContext,
  { id, key, text, revision }: KeyOf & { text: string; revision: number | undefined },
): Promise<void> {
  return withKeyLock(context, id, async () => {
    const channel = await readChannel(context, id);
    checkKeyIsFree(channel);
    const record = await storedKey(context, { id, key });
    if (revision !== undefined && revision !== record.revision) throw new AppError('revision_conflict');
    await storeText(context, channel, { record, text: oneKey(text, channel.type) });
  });
}

/** Stores another text in a key's record. Call it under the channel's lock. @throws {AppError} `channel_key_known` */
export async function storeText(
  context: AppContext,
  channel: ChannelRecord,
  { record, text, isEnabling = true }: { record: ChannelKeyRecord; text: string; isEnabling?: boolean },
): Promise<void> {
  const fields = keyFields(context.secrets, text);
  const same = await context.db.collection('channel_keys').first({ channel_id: channel.id, key_hash: fields.key_hash });
  if (same !== null && same.id !== record.id) throw new AppError('channel_key_known', {}, { field: 'key' });
  const isRefused = record.status === ChannelStatus.disabledBySystem && isEnabling;
  const state = isRefused
    ? { ...freshState, status: ChannelStatus.enabled, status_time: Math.floor(context.now() / 1000) }
    : { cooldowns: [] };
  await patchKey(context, record, { set: { ...fields, ...state }, unset: ['renewal'] });
  await publishKeys(context, channel.id);
  await begunAgain(context, channel.id, record.id);
}

/** The text of exactly one key of the type. @throws {AppError} `channel_key_one`, or the problem */
export function oneKey(text: string, type: number): string {
  const [first, second] = readPastedKeys(text, type);
  if (first === undefined || second !== undefined) throw new AppError('channel_key_one', {}, { field: 'key' });
  if (first.problem === 'key_characters') throw new AppError('channel_key_invalid', {}, { field: 'key' });
  if (first.problem !== undefined) throw new AppError(`channel_${first.problem}`, { forms: keyFormsText(type) }, { field: 'key' });
  return first.text;
}

/** Returns how many were removed. Streams that use them continue. @throws {AppError} `channel_key_sole` */
export function removeKeys(context: AppContext, { id, ids }: { id: number; ids: readonly number[] }): Promise<number> {
  return withKeyLock(context, id, async () => {
    checkKeyIsFree(await readChannel(context, id));
    const records = await readKeys(context, id);
    const wanted = new Set(ids);
    const removed = records.filter((record) => wanted.has(record.id));
    if (removed.length === 0) throw new AppError('channel_key_not_found');
    if (removed.length === records.length) throw new AppError('channel_key_sole');
    const count = await context.db.collection('channel_keys').remove({ channel_id: id, id: { in: removed.map((record) => record.id) } });
    await publishKeys(context, id);
    for (const record of removed) await context.changes.announce('channel_key', record.id);
    return count;
  });
}

/** Enables a key that the upstream had refused, after it has passed a test. */
export async function enableAfterPass(context: AppContext, record: ChannelKeyRecord): Promise<boolean> {
  const isSame = { id: record.id, key_hash: record.key_hash, status: ChannelStatus.disabledBySystem };
  const set = { ...freshState, status: ChannelStatus.enabled, status_time: Math.floor(context.now() / 1000) };
  if ((await context.db.collection('channel_keys').patch(isSame, { set, increment: { revision: 1 } })) === null) return false;
  await context.changes.announce('channel', record.channel_id);
  await begunAgain(context, record.channel_id, record.id);
  return true;
}

/** The cool-downs of the key end in all processes, and a channel that had no key left has one again. */
async function begunAgain(context: AppContext, channelId: number, keyId: number): Promise<void> {
  await context.changes.announce('channel_key', `${keyId}:new`);
  await enableWithKeys(context, channelId);
}

/** The record of a key; of a channel's only key (0) one is made. */
async function storedKey(context: AppContext, { id, key }: KeyOf): Promise<ChannelKeyRecord> {
  if (key !== 0) return readKey(context, id, key);
  const [only, second] = await ensureRecords(context, await readChannel(context, id));
  if (only === undefined || second !== undefined) throw new AppError('channel_key_not_found');
  return only;
}

async function patchKey(context: AppContext, record: ChannelKeyRecord, { set = {}, unset }: Patch<ChannelKeyRecord>): Promise<void> {
  const patch = { set, increment: { revision: 1 }, ...(unset === undefined ? {} : { unset }) };
  const patched = await context.db.collection('channel_keys').patch({ id: record.id, channel_id: record.channel_id }, patch);
  if (patched === null) throw new AppError('channel_key_not_found');
}
