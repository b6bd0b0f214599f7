import { AppError } from '#shared/errors.ts';
import type { Option } from '#shared/options.ts';
import { isSecret, isSettingKey, mayWriteSetting, parseMap } from '#shared/settings.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import { presentOptions } from './present-option.ts';
import { saveOptions } from './save-options.ts';

/**
 * Takes a change back: an edit like every other, checked and recorded as one. In a map it restores only the entries that the change touched.
 * @throws {AppError} `option_change_not_found`, `option_change_not_kept`, `revision_conflict` if the same was changed since, and
 * as `saveOptions`
 */
export async function undoChange(context: AppContext, id: number, actor: UserRecord): Promise<Option> {
  const { db } = context;
  await finishOptionWrites(context);
  const change = await db.collection('option_changes').get(id);
  if (change === null || !isSettingKey(change.key)) throw new AppError('option_change_not_found');
  const { key } = change;
  if (!mayWriteSetting(key, actor.role)) throw new AppError('option_denied', { key }, { field: key });
  if (isSecret(key)) throw new AppError('option_change_not_kept');
  const row = await db.collection('options').get(key);
  const value = undoneText(change, row?.value ?? defaultText(key));
  if (value === 'not_kept') throw new AppError('option_change_not_kept');
  if (value === 'changed_since') {
    const [current] = await presentOptions(context, [key], new Map(row === null ? [] : [[key, row]]));
    throw new AppError('revision_conflict', {}, { data: current, field: key });
  }
  const edit = { key, value: value.text, revision: row?.revision ?? 0 };
  const [option] = await saveOptions(context, [edit], { actor, conflictData: ([current]) => current });
  if (option === undefined) throw new AppError('option_unknown');
  return option;
}

/** The value without the change; or why there is none. */
export function undoneText(change: OptionChangeRecord, current: string): { text: string } | 'not_kept' | 'changed_since' {
  const { before, after, entries } = change;
  if (entries !== undefined) {
    const map = parseMap(current);
    if (map === null || entries.some((entry) => map.get(entry.name) !== entry.after)) return 'changed_since';
    const undone = new Map(map);
    for (const entry of entries) {
      if (entry.before === undefined) undone.delete(entry.name);
      else undone.set(entry.name, entry.before);
    }
    return { text: JSON.stringify(Object.fromEntries(undone)) };
  }
  if (before === undefined || after === undefined) return 'not_kept';
  return current === after ? { text: before } : 'changed_since';
}
