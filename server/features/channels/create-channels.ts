import { channelBatchLimit, type ChannelCreate, ChannelStatus } from '#shared/channels.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import { channelFields, checkKeys, checkFormats, checkType } from './channel-fields.ts';
import { checkKeyDestination } from './check-key-destination.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import { newKey } from '#server/exchange/keys/new-key.ts';
import type { ChannelActor } from './edit-channel.ts';
import type { DraftTests } from './draft-tests.ts';
import { readKeys } from './keys/key-store.ts';
import { readChannel } from './store.ts';

type KeyFields = Pick<ChannelRecord, 'key_cipher' | 'key_hash'>;

interface Creation {
  input: ChannelCreate;
  /** Undefined for a caller that tests no drafts. */
  draftTests?: DraftTests;
  /** File that manages the channels. */
  mark?: ManagedMark;
}

/**
 * One channel per key, otherwise equal; of several the names are numbered. Returns their ids. Nothing is created when anything is wrong. A channel that its
 * administrator has just tested as it is created begins with the result of that test.
 */
export async function createChannels(context: AppContext, actor: ChannelActor, { input, draftTests, mark }: Creation): Promise<number[]> {
  const channel = { ...newChannel(context, input), ...(mark === undefined ? {} : { managed: mark }) };
  const keys = await keyFields(context, { ...input, type: channel.type }, (source) => checkKeyDestination(actor, source, channel));
  const records: ChannelRecord[] = [];
  for (const [index, key] of keys.entries()) {
    const name = keys.length === 1 ? channel.name : `${channel.name} ${index + 1}`;
    const record = { ...channel, ...key, name, id: await context.db.nextId('channels') };
    records.push({ ...record, ...draftTests?.resultFor(actor.id, record, channel.created_time) });
  }
  const copied = input.copy_from === undefined || (input.key ?? '') !== '' ? [] : await readKeys(context, input.copy_from);
  const rows: ChannelKeyRecord[] = [];
  for (const { id } of records) for (const key of copied) rows.push(await copyOfKey(context, key, id));
  await context.db.write([
    ...rows.map((record) => ({ insert: record, into: 'channel_keys' as const })),
    ...records.map((record) => ({ insert: record, into: 'channels' as const })),
  ]);
  const ids = records.map((record) => record.id);
  for (const id of ids) await context.changes.announce('channel', id);
  return ids;
}

/** The record without its key, checked. @throws {AppError} for the first field that is wrong */
export function newChannel(context: AppContext, input: ChannelCreate): ReturnType<typeof emptyChannel> {
  const fields = channelFields({ ...input, name: input.name ?? '', models: input.models ?? '' });
  const channel = { ...emptyChannel(context), ...fields, status: statusOf(input) };
  checkType(channel);
  checkFormats(channel);
  return channel;
}

/** A key of a copied channel, with its settings and without its past. */
async function copyOfKey(context: AppContext, key: ChannelKeyRecord, channelId: number): Promise<ChannelKeyRecord> {
  const { key_cipher, key_hash, ending, weight, most_parallel, note, status } = key;
  const isDisabled = status !== ChannelStatus.enabled;
  const fresh = newKey(context, { channel_id: channelId, text: '', status: isDisabled ? ChannelStatus.disabledByHand : status });
  return { ...fresh, key_cipher, key_hash, ending, weight, most_parallel, note, id: await context.db.nextId('channel_keys') };
}

/** The keys of the input, or the one of the channel that is copied. */
async function keyFields(
  context: AppContext,
  { key, copy_from, type }: Pick<ChannelCreate, 'key' | 'copy_from'> & Pick<ChannelRecord, 'type'>,
  checkSource: (source: ChannelRecord) => void,
): Promise<KeyFields[]> {
  const keys = checkKeys(key ?? '', type);
  if (keys.length > channelBatchLimit) throw new AppError('channel_keys_many', { limit: channelBatchLimit }, { field: 'key' });
  if (keys.length > 0)
    return keys.map((text) => ({ key_cipher: context.secrets.encrypt(text, 'channel_key'), key_hash: context.secrets.hash(text) }));
  if (copy_from === undefined) throw new AppError('channel_incomplete', {}, { field: 'key' });
  const source = await readChannel(context, copy_from);
  checkSource(source);
  const { key_cipher, key_hash } = source;
  return [{ key_cipher, key_hash }];
}

/** A copy of a channel that the system has disabled starts disabled by hand: there is no reason of its own yet. */
function statusOf({ status }: ChannelCreate): number {
  return status === undefined || status === ChannelStatus.enabled ? ChannelStatus.enabled : ChannelStatus.disabledByHand;
}

/** What a channel has where nothing is said. */
export function emptyChannel(context: AppContext): Omit<ChannelRecord, 'id' | 'key_cipher' | 'key_hash'> {
  return {
    type: 1,
    name: '',
    openai_organization: '',
    test_model: '',
    status: ChannelStatus.enabled,
    weight: 0,
    priority: 0,
    created_time: Math.floor(context.now() / 1000),
    test_time: 0,
    response_time: 0,
    base_url: '',
    other: '',
    balance: 0,
    balance_updated_time: 0,
    models: '',
    group: 'default',
    used_quota: 0,
    model_mapping: '',
    status_code_mapping: '',
    setting: '',
    param_override: '',
    other_info: '',
    auto_ban: 1,
    tag: '',
    max_input_tokens: 0,
    revision: 1,
  };
}
