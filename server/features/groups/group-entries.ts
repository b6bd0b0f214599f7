// The entries of a group in the settings that are named for groups, as edits of their rows.
import { type EntryMap, parseMap } from '#shared/settings.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { groupSettings } from '#server/settings/group-moves.ts';
import type { OptionEdit } from '#server/settings/option-writes.ts';

type Rows = ReadonlyMap<string, OptionRecord>;
type GroupSetting = (typeof groupSettings)[number];

export function groupEntries(rows: Rows, key: GroupSetting): EntryMap {
  return parseMap(rows.get(key)?.value ?? defaultText(key)) ?? new Map();
}

/** The new name right behind the old one, with its values and none that an earlier group left; a description that was the name is the new name. */
export function withAlias(rows: Rows, from: string, to: string): OptionEdit[] {
  return edits(rows, (entries) =>
    [...entries].flatMap(([name, value]): [string, number | string][] => {
      if (name === to) return [];
      return name === from
        ? [
            [from, value],
            [to, value === from ? to : value],
          ]
        : [[name, value]];
    }),
  );
}

export function withoutGroup(rows: Rows, name: string): OptionEdit[] {
  return edits(rows, (entries) => [...entries].filter(([other]) => other !== name));
}

/** Of those that change. */
function edits(rows: Rows, change: (entries: EntryMap) => readonly [string, number | string][]): OptionEdit[] {
  return groupSettings.flatMap((id) => {
    const entries = groupEntries(rows, id);
    const changed = change(entries);
    const isSame = JSON.stringify(changed) === JSON.stringify([...entries]);
    return isSame ? [] : [{ id, value: JSON.stringify(Object.fromEntries(changed)) }];
  });
}
