// The entries of a group in the settings that are named for groups, as edits of their rows.
import { commaList } from '#shared/comma-list.ts';
import { type EntryMap, parseMap, type SettingKey, settings } from '#shared/settings.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { groupSettings, nestedGroupSettings } from '#server/settings/group-moves.ts';
import type { OptionEdit } from '#server/settings/option-writes.ts';

type Rows = ReadonlyMap<string, OptionRecord>;
type GroupSetting = (typeof groupSettings)[number];

export function groupEntries(rows: Rows, key: GroupSetting): EntryMap {
  return parseMap(rows.get(key)?.value ?? defaultText(key)) ?? new Map();
}

/**
 * The new name right behind the old one, with its values and none that an earlier group left; a description that was the name is the new name.
 */
export function withAlias(rows: Rows, from: string, to: string): OptionEdit[] {
  return edits(rows, (entries) =>
    [...entries].flatMap(([name, value]) => {
      const bare = bareName(name);
      if (bare === to) return [];
      if (bare !== from) return [[name, value]];
      return [
        [name, value],
        [`${name.slice(0, name.length - bare.length)}${to}`, value === from ? to : value],
      ];
    }),
  );
}

export function withoutGroup(rows: Rows, name: string): OptionEdit[] {
  return edits(rows, (entries) => [...entries].filter(([other]) => bareName(other) !== name));
}

/** Without the prefix that some settings know. */
function bareName(name: string): string {
  return name.replace(/^[+-]:/, '');
}

type Entry = readonly [name: string, value: unknown];
type Change = (entries: readonly Entry[]) => readonly Entry[];

/** Of those that change. */
function edits(rows: Rows, change: Change): OptionEdit[] {
  return [
    ...groupSettings.flatMap((id) => editOf(id, groupEntries(rows, id), (entries) => change([...entries]))),
    ...nestedGroupSettings.flatMap((id) => {
      const parsed = settings[id].parse(textOf(rows, id), id);
      const outer = new Map<string, unknown>(Object.entries(parsed.ok ? parsed.value : {}));
      const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null;
      return editOf(id, outer, (entries) =>
        change([...entries]).map(([name, value]) => [name, isMap(value) ? Object.fromEntries(change(Object.entries(value))) : value]),
      );
    }),
    ...listEdit(rows, change),
  ];
}

function editOf(
  id: SettingKey,
  entries: ReadonlyMap<string, unknown>,
  change: (entries: ReadonlyMap<string, unknown>) => readonly Entry[],
) {
  const value = JSON.stringify(Object.fromEntries(change(entries)));
  return value === JSON.stringify(Object.fromEntries(entries)) ? [] : [{ id, value }];
}

function listEdit(rows: Rows, change: Change): OptionEdit[] {
  const names = commaList(textOf(rows, 'AutoGroups'));
  const changed = change(names.map((name) => [name, null])).map(([name]) => name);
  return changed.join(',') === names.join(',') ? [] : [{ id: 'AutoGroups', value: changed.join(',') }];
}

function textOf(rows: Rows, key: SettingKey): string {
  return rows.get(key)?.value ?? defaultText(key);
}
