import type { SettingKey } from '#shared/settings.ts';

/** How a setting is entered. `quota`: an amount of quota units; `json`: a map as text. */
export type SettingControl = 'text' | 'number' | 'quota' | 'switch' | 'choice' | 'json';

export interface SettingEntry {
  key: SettingKey;
  control: SettingControl;
  /** Turning it off is asked about first. */
  asksBeforeOff?: boolean;
  /** Said once it was changed, before it is saved. */
  warns?: boolean;
}

export interface SettingSection {
  /** `settings.section.<name>` has its texts. */
  name: string;
  entries: readonly SettingEntry[];
}

/** A key as a part of a text's name: those are separated by points. */
export function textName(key: string): string {
  return key.replaceAll('.', '_');
}
