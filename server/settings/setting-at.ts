// Values of settings on a past date, from their history.
import { type SettingKey, type SettingValue, settings as catalogue } from '#shared/settings.ts';
import type { Database } from '#server/db/database.ts';
import type { Settings } from '#server/settings/settings.ts';

/**
 * Returns a setting as it was at a time; as it is now if no later change is in the history, which is stored as long as the audit log. Not for maps and
 * secrets, whose texts are not in it.
 * @param at unix seconds
 */
export async function settingAt<Key extends SettingKey>(
  { db, settings }: { db: Database; settings: Pick<Settings, 'get'> },
  key: Key,
  at: number,
): Promise<SettingValue<Key>> {
  const later = await db.collection('option_changes').first({ key, created_at: { gte: at } }, { sort: [['id', 1]] });
  const parsed = later?.before === undefined ? undefined : catalogue[key].parse(later.before, key);
  return parsed?.ok === true ? parsed.value : settings.get(key);
}
