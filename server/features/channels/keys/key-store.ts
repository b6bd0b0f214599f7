// Reads and writes the keys of channels. Every change happens under the channel's lock, so that a key never reaches an address that
// an edit of the channel sets meanwhile.
import { ChannelStatus } from '#shared/channels.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { newKey } from '#server/exchange/keys/new-key.ts';
import { readChannel } from '../store.ts';

/** Runs `work` while no other request changes the keys of the channel, or where they are sent. */
export function withKeyLock<Result>(context: AppContext, channelId: number, work: () => Promise<Result>): Promise<Result> {
  return withEditLock(context, `channel-keys:${channelId}`, work);
}

/** Records of the keys, the oldest first; none if the channel has one key. */
export function readKeys({ db }: Pick<AppContext, 'db'>, channelId: number): Promise<ChannelKeyRecord[]> {
  return db.collection('channel_keys').find({ channel_id: channelId }, { sort: [['id', 1]] });
}

export async function hasKeys({ db }: Pick<AppContext, 'db'>, channelId: number): Promise<boolean> {
  return (await db.collection('channel_keys').count({ channel_id: channelId }, 1)) > 0;
}

/** @throws {AppError} `channel_key_not_found` */
export async function readKey({ db }: Pick<AppContext, 'db'>, channelId: number, keyId: number): Promise<ChannelKeyRecord> {
  const record = await db.collection('channel_keys').get(keyId);
  if (record?.channel_id !== channelId) throw new AppError('channel_key_not_found');
  return record;
}

/** Text of a stored key. @throws {AppError} `channel_key_not_found` if it was encrypted with another master key */
export function keyText({ secrets }: Pick<AppContext, 'secrets'>, { key_cipher }: Pick<ChannelKeyRecord, 'key_cipher'>): string {
  try {
    return secrets.decrypt(key_cipher, 'channel_key').trim();
  } catch (cause) {
    throw new AppError('channel_key_not_found', {}, { cause });
  }
}

/**
 * Gives the only key of a channel a record, with the state of the channel. Call it under the lock. Returns all records.
 */
export async function ensureRecords(context: AppContext, channel: ChannelRecord): Promise<ChannelKeyRecord[]> {
  const records = await readKeys(context, channel.id);
  if (records.length > 0 || channel.key_cipher === '') return records;
  const text = keyText(context, channel);
  const record: ChannelKeyRecord = {
    ...newKey(context, { channel_id: channel.id, text }),
    created_time: channel.created_time,
    ...(channel.renewal === undefined ? {} : { renewal: channel.renewal }),
    id: await context.db.nextId('channel_keys'),
  };
  await context.db.collection('channel_keys').insert(record);
  return [record];
}

/** Repeats the first key in the channel's record, for search, copies and drafts; then announces the change of the keys. */
export async function publishKeys(context: AppContext, channelId: number): Promise<void> {
  const [first] = await readKeys(context, channelId);
  if (first !== undefined) {
    const { key_cipher, key_hash } = first;
    await context.db.collection('channels').patch({ id: channelId, key_hash: { ne: key_hash } }, { set: { key_cipher, key_hash } });
  }
  await context.changes.announce('channel', channelId);
}

/** Fields of a key that starts again, because its text was replaced or it was enabled. */
export const freshState: Pick<ChannelKeyRecord, 'reason' | 'reason_status' | 'no_balance' | 'cooldowns'> = {
  reason: null,
  reason_status: 0,
  no_balance: false,
  cooldowns: [],
};

/** Fields of a status set by hand. */
export function statusBy(
  { now }: Pick<AppContext, 'now'>,
  status: number,
  username: string,
): Pick<ChannelKeyRecord, 'status' | 'status_time' | 'status_by'> & typeof freshState {
  return {
    ...freshState,
    status,
    status_time: Math.floor(now() / 1000),
    status_by: status === ChannelStatus.enabled ? '' : username,
  };
}

export async function channelOfKeys(context: AppContext, id: string): Promise<ChannelRecord> {
  return readChannel(context, Number(id));
}
