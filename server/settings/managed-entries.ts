// Settings, groups and prices that files of settings as code manage: one option row, written together with these settings, so that every
// process sees both at once. An entry is a whole setting, or a name in the maps of groups or of prices.
import { z } from 'zod';
import { parseMap, type SettingKey, settings } from '#shared/settings.ts';
import { isApplyingFile, isHeldByFiles } from '#server/audit-log/actor.ts';
import { heldByFile } from '#server/audit-log/managed-records.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { defaultText } from './defaults.ts';
import { groupSettings, nestedGroupSettings } from './group-moves.ts';
import { modelPriceKeys } from '#shared/model-price-keys.ts';

/** Not a setting: neither listed nor editable. */
export const managedEntriesKey = 'managed_entries';

export const entryKinds = ['setting', 'group', 'price'] as const;
export type EntryKind = (typeof entryKinds)[number];

export interface EntryMark {
  by: string;
  file: string;
}

const Names = z.array(z.string());
const Stored = z.array(z.object({ by: z.string(), file: z.string(), setting: Names, group: Names, price: Names }));

/** Marks by kind and name. */
export type ManagedEntries = { readonly [Kind in EntryKind]: ReadonlyMap<string, EntryMark> };

const none: ManagedEntries = { setting: new Map(), group: new Map(), price: new Map() };

/** @throws {Error} if the row is damaged */
export function managedEntriesOf(row: Pick<OptionRecord, 'value'> | undefined): ManagedEntries {
  if (row === undefined) return none;
  const marks = { setting: new Map<string, EntryMark>(), group: new Map<string, EntryMark>(), price: new Map<string, EntryMark>() };
  for (const { by, file, ...names } of Stored.parse(JSON.parse(row.value))) {
    for (const kind of entryKinds) for (const name of names[kind]) marks[kind].set(name, { by, file });
  }
  return marks;
}

export function managedEntriesText(entries: ManagedEntries): string {
  const files = new Map<string, z.infer<typeof Stored>[number]>();
  for (const kind of entryKinds) {
    for (const [name, { by, file }] of entries[kind]) {
      const key = JSON.stringify([by, file]);
      const stored = files.get(key) ?? { by, file, setting: [], group: [], price: [] };
      stored[kind].push(name);
      files.set(key, stored);
    }
  }
  return JSON.stringify([...files.values()]);
}

/**
 * Call with the new texts before they are stored, also by jobs: some of them change prices.
 * @param rows stored rows, with `managedEntriesKey`
 * @throws {AppError} `managed_by_file`
 */
export function checkEntriesAreFree(
  edits: readonly { id: string; value: string }[],
  rows: ReadonlyMap<string, Pick<OptionRecord, 'value'>>,
): void {
  const row = rows.get(managedEntriesKey);
  if (row === undefined || isApplyingFile()) return;
  const entries = managedEntriesOf(row);
  for (const { id, value } of edits) {
    const whole = entries.setting.get(id);
    const before = rows.get(id)?.value ?? (isSettingWithDefault(id) ? defaultText(id) : '');
    if (whole !== undefined && value !== before) throw refusal(id, whole, id);
    const kind = kindOfMap(id);
    if (kind === undefined || entries[kind].size === 0) continue;
    for (const name of changedNames(before, value)) {
      const mark = entries[kind].get(name);
      if (mark !== undefined) throw refusal(name, mark, id);
    }
  }
}

/** @throws {AppError} `managed_by_file` if people must not change this entry */
export function checkEntryIsFree(entries: ManagedEntries, kind: EntryKind, name: string, field: string): void {
  const mark = entries[kind].get(name);
  if (mark !== undefined && isHeldByFiles()) throw refusal(name, mark, field);
}

/** Mark of an entry of a map, or of the whole setting. */
export function markOfEntry(entries: ManagedEntries, key: string, name: string): EntryMark | undefined {
  const kind = kindOfMap(key);
  return entries.setting.get(key) ?? (kind === undefined ? undefined : entries[kind].get(name));
}

/** Reports whether a file manages the setting, or an entry of its map. */
export function isManagedSetting(entries: ManagedEntries, key: string): boolean {
  const kind = kindOfMap(key);
  return entries.setting.has(key) || (kind !== undefined && entries[kind].size > 0);
}

function refusal(name: string, { file }: EntryMark, field: string) {
  return heldByFile({ name, managed: { by: '', file, left: [] } }, field);
}

const groupMaps: ReadonlySet<string> = new Set([...groupSettings, ...nestedGroupSettings]);
const priceMaps: ReadonlySet<string> = new Set(modelPriceKeys);

/** Kind of the entries of a map; undefined for other settings. */
export function kindOfMap(key: string): 'group' | 'price' | undefined {
  return groupMaps.has(key) ? 'group' : priceMaps.has(key) ? 'price' : undefined;
}

function isSettingWithDefault(id: string): id is SettingKey {
  return Object.hasOwn(settings, id);
}

/** Names whose entries differ; all of a text that is no object. */
function changedNames(before: string, after: string): string[] {
  const [from, to] = [entriesOf(before), entriesOf(after)];
  return [...new Set([...from.keys(), ...to.keys()])].filter((name) => from.get(name) !== to.get(name));
}

function entriesOf(text: string): ReadonlyMap<string, string> {
  const flat = parseMap(text);
  if (flat !== null) return new Map([...flat].map(([name, value]) => [name, JSON.stringify(value)]));
  try {
    const value: unknown = JSON.parse(text);
    return new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}).map(([name, one]) => [name, sorted(one)]));
  } catch {
    return new Map();
  }
}

function sorted(value: unknown): string {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return JSON.stringify(isMap ? Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)) : value);
}
