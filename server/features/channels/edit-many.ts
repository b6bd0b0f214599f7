// Applies one change to many channels. A failure of one is reported and does not stop the others.
import type { BulkResult } from '#shared/channel-tags.ts';
import { commaList } from '#shared/comma-list.ts';
import { AppError, errorText, type Language } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable, type Filter } from '#server/db/collection.ts';
import { editRecords } from '#server/db/edit-records.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { type ChannelFields, channelFields, type ChannelInput } from './channel-fields.ts';
import { statusFields } from './edit-channel.ts';

export interface Editor {
  context: AppContext;
  actor: UserRecord;
  language: Language;
}

/** What changes in each; neither where a channel's key goes nor the key. */
export interface ManyEdit {
  fields?: Pick<ChannelInput, 'priority' | 'weight' | 'auto_ban' | 'tag' | 'groups' | 'models' | 'model_mapping'>;
  status?: number | undefined;
  modelsAdded?: string | undefined;
  modelsRemoved?: string | undefined;
}

interface Many {
  ids: readonly number[];
  /** A channel that is not so any more is left alone. */
  where?: Filter<ChannelRecord>;
  edit: ManyEdit;
}

/** @throws {AppError} for what is wrong with the edit itself: nothing is changed then; and `channels_stopped` when the database fails midway */
export async function editMany(editor: Editor, { ids, where = {}, edit }: Many): Promise<BulkResult> {
  const { context, language } = editor;
  const intended = [...new Set(ids)];
  // What is wrong for all is refused for all.
  channelFields(edit.fields ?? {});
  if (edit.modelsAdded !== undefined && edit.modelsAdded.trim() !== '') channelFields({ models: edit.modelsAdded });
  const result: BulkResult = { changed: 0, same: 0, failed: [] };
  const failed = (id: number, { code, details }: AppError) => result.failed.push({ id, message: errorText(code, language, details) });
  try {
    await editRecords(context, 'channels', {
      ids: intended,
      where,
      change: (current) => changeOf(editor, edit, current),
      onEach(id, edited) {
        if (edited === null) failed(id, new AppError('channel_not_found'));
        else if (edited instanceof AppError) failed(id, edited);
        else if (edited.after === edited.before) result.same += 1;
        else result.changed += 1;
      },
    });
  } catch (failure) {
    if (!(failure instanceof DatabaseUnavailable) || result.changed === 0) throw failure;
    throw new AppError('channels_stopped', { done: result.changed, total: intended.length }, { cause: failure });
  }
  return result;
}

/** For calls whose answer has no room for what failed. @throws {AppError} `channels_partly_changed` */
export function wholly({ changed, same, failed }: BulkResult): number {
  const [first] = failed;
  if (first === undefined) return changed;
  const detail = `#${first.id} ${first.message}`;
  throw new AppError('channels_partly_changed', { done: changed + same, total: changed + same + failed.length, detail });
}

/** Null: the channel is so already. */
function changeOf({ context, actor }: Editor, edit: ManyEdit, current: ChannelRecord): { set: Partial<ChannelRecord> } | null {
  const wanted: ChannelFields = channelFields(edit.fields ?? {}, current);
  const models = modelsOf(edit, wanted.models ?? current.models);
  if (models !== current.models) Object.assign(wanted, channelFields({ models }));
  const set = { ...wanted, ...statusFields(context, actor, current, edit.status) };
  const isSame = Object.entries(set).every(([field, value]) => Object.entries(current).find(([name]) => name === field)?.[1] === value);
  return isSame ? null : { set };
}

function modelsOf({ modelsAdded = '', modelsRemoved = '' }: ManyEdit, stored: string): string {
  const [added, removed] = [modelsAdded, modelsRemoved].map((text) => commaList(text.replace(/[\r\n，]/g, ',')));
  if (added?.length === 0 && removed?.length === 0) return stored;
  const names = new Set(commaList(stored));
  for (const name of removed ?? []) names.delete(name);
  for (const name of added ?? []) names.add(name);
  return [...names].join(',');
}
