import type { Option } from '#shared/options.ts';
import { isSecret, type SettingKey } from '#shared/settings.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { type ManagedEntries, managedEntriesKey, managedEntriesOf } from '#server/settings/managed-entries.ts';

/** Options as the console sees them; without a row they have their defaults. Secrets are never sent. */
export async function presentOptions(
  { db }: Pick<AppContext, 'db'>,
  keys: readonly SettingKey[],
  rows: ReadonlyMap<string, OptionRecord>,
): Promise<Option[]> {
  const shown = keys.flatMap((key) => rows.get(key) ?? []);
  const names = await editorNames(
    db,
    shown.map((row) => row.updated_by),
  );
  const managed = managedEntriesOf(rows.get(managedEntriesKey));
  return keys.map((key) => ({ ...present(key, rows.get(key), names), ...presentMarks(key, managed) }));
}

/** Kinds of entries, and the setting whose presentation has their marks. */
const shownEntries: Partial<Record<SettingKey, 'group' | 'price'>> = { GroupRatio: 'group', ModelRatio: 'price' };

function presentMarks(key: SettingKey, managed: ManagedEntries): Pick<Option, 'managed_by' | 'managed_entries'> {
  const mark = managed.setting.get(key);
  const kind = shownEntries[key];
  const entries = kind === undefined ? [] : [...managed[kind]].map(([name, { file }]): [string, string] => [name, file]);
  return {
    ...(mark === undefined ? {} : { managed_by: mark.file }),
    ...(entries.length === 0 ? {} : { managed_entries: Object.fromEntries(entries) }),
  };
}

/** Usernames of those who are known, by their ids. */
export async function editorNames(db: AppContext['db'], ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const editors = [...new Set(ids)].filter((id) => id !== 0);
  const users = editors.length === 0 ? [] : await db.collection('users').find({ id: { in: editors } });
  return new Map(users.map((user) => [user.id, user.username]));
}

function present(key: SettingKey, row: OptionRecord | undefined, names: ReadonlyMap<number, string>): Option {
  if (row === undefined)
    return isSecret(key) ? { key, value: '', revision: 0, isSet: false } : { key, value: defaultText(key), revision: 0 };
  const { revision, updated_at } = row;
  const state = { revision, updated_at, updated_by: names.get(row.updated_by) ?? '' };
  if (isSecret(key)) return { key, value: '', ...state, isSet: row.value !== '' };
  const initial = defaultText(key);
  return { key, value: row.value, ...state, ...(row.value === initial ? {} : { default: initial }) };
}
