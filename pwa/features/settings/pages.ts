import { lowWaterKey } from '#pwa/offline/edits/own-setting.ts';
import { modelPages } from './model-pages.ts';
import { operationPages } from './operation-pages.ts';
import type { SettingControl, SettingEntry, SettingPage } from './setting-entry.ts';
import { systemPages } from './system-pages.ts';

/** All settings, page by page. Another setting is a line in one of these files, another page an entry. */
export const pages: readonly SettingPage[] = [...operationPages, ...modelPages, ...systemPages];
export const pageGroups = ['operation', 'models', 'system'] as const;

/** Tabs as the specified clients name them in an address, and the page that one begins with. */
const tabs: ReadonlyMap<string, string> = new Map([
  ['operation', 'general'],
  ['ratelimit', 'ratelimit'],
  ['models', 'global'],
  ['system', 'server'],
  ['other', 'content'],
]);

/** Page of an address: by its name or its tab, or that of a field; the first where there is none. */
export function pageOfAddress(tab: string | undefined, field: string | undefined): SettingPage {
  const name = tabs.get(tab ?? '') ?? tab;
  const page = pages.find((one) => one.name === name) ?? pages.find((one) => entriesOf(one).some(({ key }) => key === field)) ?? pages[0];
  if (page === undefined) throw new Error('There are no settings');
  return page;
}

export function entriesOf(page: SettingPage): SettingEntry[] {
  return page.sections.flatMap(({ entries }) => entries);
}

const controls: ReadonlyMap<string, SettingControl> = new Map([
  ...pages.flatMap((page) => entriesOf(page).map(({ key, control }): [string, SettingControl] => [key, control])),
  // A person's own, which wait in the same outbox. Of two values discarding is the other one, as with switches.
  [lowWaterKey, 'quota'],
  ['notify_type', 'switch'],
  ['accept_unset_model_ratio_model', 'switch'],
  ['channel_alerts', 'switch'],
]);

/** How a setting is entered; undefined for one that no page has. */
export function controlOf(key: string): SettingControl | undefined {
  return controls.get(key);
}
