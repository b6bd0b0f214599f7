import { type ChannelEdit, ChannelStatus } from '#shared/channels.ts';
import { AppError, type Language } from '#shared/errors.ts';
import { checkKeyIsFree } from '#server/audit-log/managed-records.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { type ChannelFields, channelFields, checkFormats, checkKeys, checkType } from './channel-fields.ts';
import { checkKeyDestination } from './check-key-destination.ts';
import { hasKeys, withKeyLock } from './keys/key-store.ts';
import { presentChannel } from './present-channel.ts';

/** A user, or a command that acts as the super admin. */
export type ChannelActor = Pick<UserRecord, 'id' | 'role' | 'username'>;

interface Editor {
  context: AppContext;
  actor: ChannelActor;
  language: Language;
}

/**
 * Changes what the edit names and nothing else; an empty key stays as it is.
 * @param mark file that manages the channel from now on
 * @throws {AppError} `revision_conflict` with the current channel when it is based on an older one
 */
export function editChannel(editor: Editor, edit: ChannelEdit, mark?: ManagedMark): Promise<ChannelRecord> {
  // Keys are added and replaced for the address that the channel has.
  const isOfKeys = (edit.key ?? '') !== '' || edit.base_url !== undefined || edit.setting !== undefined || edit.type !== undefined;
  return isOfKeys ? withKeyLock(editor.context, edit.id, () => changeChannel(editor, edit, mark)) : changeChannel(editor, edit, mark);
}

async function changeChannel({ context, actor, language }: Editor, edit: ChannelEdit, mark?: ManagedMark): Promise<ChannelRecord> {
  if ((edit.key ?? '').trim() !== '' && (await hasKeys(context, edit.id))) throw new AppError('channel_has_keys', {}, { field: 'key' });
  const edited = await editRecord(context, 'channels', {
    id: edit.id,
    revision: edit.revision,
    present: (current) => presentChannel(current, language),
    change: (current) => ({
      set: { ...changedFields({ context, actor }, edit, current), ...(mark === undefined ? {} : { managed: mark }) },
    }),
  });
  if (edited === null) throw new AppError('channel_not_found');
  return edited.after;
}

/** New values of the edit, checked. @throws {AppError} for the first that is wrong */
export function changedFields(
  { context, actor }: Pick<Editor, 'context' | 'actor'>,
  edit: Omit<ChannelEdit, 'id'>,
  current: ChannelRecord,
): Partial<ChannelRecord> {
  const own = channelFields(edit, current);
  const fields = { ...own, ...keyFields(context, edit, own.type ?? current.type) };
  // A file that manages the key has the last word, whichever key it is.
  if (fields.key_hash !== undefined && fields.key_hash !== current.key_hash) checkKeyIsFree(current);
  // A channel of a type that is no longer supported can still be renamed, disabled and so on.
  if (changesFormats(current, fields)) checkFormats({ ...current, ...fields });
  if (fields.type !== undefined && fields.type !== current.type) checkType({ ...current, ...fields });
  else if (movesWithin(current, fields)) checkType({ ...current, ...fields });
  if (fields.key_hash === undefined) checkKeyDestination(actor, current, { ...current, ...fields });
  return { ...fields, ...statusFields(context, actor, current, edit.status) };
}

/** Fields that the type has rules for. */
function movesWithin(current: ChannelRecord, { base_url, other }: ChannelFields): boolean {
  return (base_url !== undefined && base_url !== current.base_url) || (other !== undefined && other !== current.other);
}

function changesFormats(current: ChannelRecord, { type, setting }: ChannelFields): boolean {
  return (type !== undefined && type !== current.type) || (setting !== undefined && setting !== current.setting);
}

function keyFields(
  { secrets }: AppContext,
  { key }: Pick<ChannelEdit, 'key'>,
  type: number,
): Partial<Pick<ChannelRecord, 'key_cipher' | 'key_hash'>> {
  const keys = checkKeys(key ?? '', type);
  if (keys.length > 1) throw new AppError('channel_key_invalid', {}, { field: 'key' });
  const [text] = keys;
  return text === undefined ? {} : { key_cipher: secrets.encrypt(text, 'channel_key'), key_hash: secrets.hash(text) };
}

/** A change of the status by hand, and who made it. Only the system disables automatically. */
export function statusFields(
  context: AppContext,
  actor: ChannelActor,
  current: ChannelRecord,
  status: number | undefined,
): Partial<Pick<ChannelRecord, 'status' | 'other_info'>> {
  if (status === undefined || status === current.status) return {};
  if (status === ChannelStatus.disabledBySystem) throw new AppError('channel_status_invalid', {}, { field: 'status' });
  const info = { status_reason: '', status_time: Math.floor(context.now() / 1000), status_by: actor.username };
  return { status, other_info: JSON.stringify(info) };
}
