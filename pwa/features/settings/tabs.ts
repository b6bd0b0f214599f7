import { lowWaterKey } from '#pwa/offline/edits/low-water.ts';
import { generalSettings } from './general-settings.ts';
import type { SettingControl, SettingSection } from './setting-entry.ts';

export interface SettingTab {
  /** In the address, and of the text `settings.tab.<name>`. */
  name: string;
  sections: readonly SettingSection[];
}

/** The tabs of the settings, in their order. Another one is a file with its sections and a line here. */
export const tabs: readonly [SettingTab, ...SettingTab[]] = [{ name: 'general', sections: generalSettings }];

const controls: ReadonlyMap<string, SettingControl> = new Map([
  ...tabs.flatMap(({ sections }) =>
    sections.flatMap(({ entries }) => entries.map(({ key, control }): [string, SettingControl] => [key, control])),
  ),
  // A person's own, which waits in the same outbox.
  [lowWaterKey, 'quota'],
]);

/** How a setting is entered; undefined for one that no tab has. */
export function controlOf(key: string): SettingControl | undefined {
  return controls.get(key);
}
