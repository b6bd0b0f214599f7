import { isSecret, type SettingKey, settings } from '#shared/settings.ts';

/**
 * How a setting is entered. `quota`: an amount of quota units; `json`: a map or a list as text; `lines`: one entry per line, or
 * with commas between them; `long`: a page's content; `picture`: an address, or a file from this device; `secret`: can be replaced, never read.
 */
export type SettingControl = 'text' | 'number' | 'quota' | 'switch' | 'choice' | 'json' | 'lines' | 'long' | 'picture' | 'secret';

export interface SettingEntry {
  key: SettingKey;
  control: SettingControl;
  /** Turning it off needs a confirmation. */
  confirmsOff?: boolean;
  /** Said once it was changed, before it is saved. */
  warns?: boolean;
}

export interface SettingSection {
  /** `settings.section.<name>` is its title; absent where a page has one section only. */
  name?: string;
  entries: readonly SettingEntry[];
}

export interface SettingPage {
  /** In the address, and of the text `settings.page.<name>`. */
  name: string;
  group: 'operation' | 'models' | 'system';
  sections: readonly SettingSection[];
}

/** Field of a setting, by its kind by default. */
export function field(key: SettingKey, more: Partial<Omit<SettingEntry, 'key'>> = {}): SettingEntry {
  return { key, control: controlFor(key), ...more };
}

/** Several, each by its kind. */
export function fields(...keys: SettingKey[]): SettingEntry[] {
  return keys.map((key) => field(key));
}

function controlFor(key: SettingKey): SettingControl {
  if (isSecret(key)) return 'secret';
  switch (settings[key].kind) {
    case 'boolean':
      return 'switch';
    case 'integer':
    case 'number':
      return 'number';
    case 'choice':
      return 'choice';
    case 'long_text':
      return 'long';
    case 'lines':
    case 'comma_list':
      return 'lines';
    case 'number_map':
    case 'text_map':
    case 'nested_map':
    case 'header_map':
    case 'chats':
    case 'list':
      return 'json';
    case 'text':
    case 'url':
      return 'text';
  }
}

/** A key as a part of a text's name: those are separated by points. */
export function textName(key: string): string {
  return key.replaceAll('.', '_');
}
