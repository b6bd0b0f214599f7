// A channel as its form would make it, for trying it out before it is saved.
import type { ChannelDraft } from '#shared/channels.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { channelFields, checkKeys, checkFormats, checkType } from './channel-fields.ts';
import { checkKeyDestination } from './check-key-destination.ts';
import { emptyChannel } from './create-channels.ts';
import { readChannel } from './store.ts';

/**
 * The record of a form; the id of a new channel is 0. Fields that trying out does not need may be empty.
 * @throws {AppError} for the first field that is not right, and as an edit does where a stored key would go to another origin
 */
export async function draftChannel(context: AppContext, actor: UserRecord, draft: ChannelDraft): Promise<ChannelRecord> {
  const { id, key, name, models, ...rest } = draft;
  const fields = channelFields({ ...rest, ...(models === undefined || models?.trim() === '' ? {} : { models }) });
  const stored = id === undefined ? null : await readChannel(context, id);
  const before = stored ?? { ...emptyChannel(context), id: 0, key_cipher: '', key_hash: '' };
  // Not saved, so it may have none, or one that it could not be saved with.
  const draftRecord = { ...before, ...fields, name: name?.trim() || before.name };
  checkType(draftRecord);
  checkFormats(draftRecord);
  const [typed] = checkKeys(key ?? '', draftRecord.type);
  if (typed !== undefined)
    return { ...draftRecord, key_cipher: context.secrets.encrypt(typed, 'channel_key'), key_hash: context.secrets.hash(typed) };
  if (stored === null) throw new AppError('channel_incomplete', {}, { field: 'key' });
  checkKeyDestination(actor, stored, draftRecord);
  return draftRecord;
}
