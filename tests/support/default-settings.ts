// Default options.
import { type SettingKey, settings, type SettingValue } from '#shared/settings.ts';
import { defaultText } from '#server/settings/defaults.ts';

export const defaultSettings = {
  get<Key extends SettingKey>(key: Key): SettingValue<Key> {
    const parsed = settings[key].parse(defaultText(key), key);
    if (!parsed.ok) throw new Error(`The default of ${key} is not valid`);
    return parsed.value;
  },
};
