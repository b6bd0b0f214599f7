import type { SettingKey, SettingValue } from '#shared/settings.ts';

/** Every option as a typed, cached value. Follows the change feed, so an edit anywhere is seen within a second. */
export interface Settings {
  get<Key extends SettingKey>(key: Key): SettingValue<Key>;
  /** Grows whenever any option changed; for caches of what is derived from settings. */
  readonly revision: number;
  /** Reads all rows again. */
  reload(): Promise<void>;
}
