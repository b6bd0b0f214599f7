import type { Option } from '#shared/options.ts';
import { isSecret, type SettingKey } from '#shared/settings.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { defaultText } from '#server/settings/defaults.ts';

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
  return keys.map((key) => present(key, rows.get(key), names));
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
