// Settings travel as texts. Which texts mean the same, and what a map's texts differ in.
import { isSettingKey, settings } from '#shared/settings.ts';

/** One value of a map; undefined: the name is not in it. */
export type EntryValue = number | string | undefined;
export type EntryMap = ReadonlyMap<string, number | string>;

export function isMapSetting(key: string): boolean {
  return isSettingKey(key) && (settings[key].kind === 'number_map' || settings[key].kind === 'text_map');
}

/** A map setting's text as a map; null when it is not one (yet). */
export function parseMap(text: string): EntryMap | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    if (!entries.every((entry): entry is [string, number | string] => typeof entry[1] === 'number' || typeof entry[1] === 'string'))
      return null;
    return new Map(entries);
  } catch {
    return null;
  }
}

/** A text as it is edited: maps one entry per line. */
export function editableText(key: string, text: string): string {
  const map = isMapSetting(key) ? parseMap(text) : null;
  return map === null ? text : mapText(map);
}

export function mapText(map: EntryMap): string {
  return JSON.stringify(Object.fromEntries(map), null, 2);
}

/** True when both texts mean the same value, however they are written. */
export function isSameValue(key: string, one: string, other: string): boolean {
  if (one === other) return true;
  if (isMapSetting(key)) {
    const [left, right] = [parseMap(one), parseMap(other)];
    return left !== null && right !== null && mapChanges(left, right).length === 0;
  }
  if (!isSettingKey(key)) return false;
  const [left, right] = [settings[key].parse(one, key), settings[key].parse(other, key)];
  return left.ok && right.ok && typeof left.value !== 'object' && left.value === right.value;
}

export interface EntryChange {
  name: string;
  from: EntryValue;
  to: EntryValue;
}

/** What has to be done to the first map to get the second, in the order of their entries. */
export function mapChanges(before: EntryMap, after: EntryMap): EntryChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => ({ name, from: before.get(name), to: after.get(name) }));
}

export interface MapMerge {
  /** Changed by both, to different values: somebody has to choose. */
  conflicts: { name: string; base: EntryValue; mine: EntryValue; theirs: EntryValue }[];
  /** My changes that theirs do not touch, as they come on top of theirs. */
  mine: EntryChange[];
  /** Their changes that mine do not touch: they stay. */
  theirs: EntryChange[];
}

/** Two edits of one map, entry by entry. */
export function mergeMaps({ base, mine, theirs }: { base: EntryMap; mine: EntryMap; theirs: EntryMap }): MapMerge {
  const own = mapChanges(base, mine);
  const foreign = new Map(mapChanges(base, theirs).map((change) => [change.name, change]));
  const merge: MapMerge = { conflicts: [], mine: [], theirs: [] };
  for (const { name, from, to } of own) {
    const other = foreign.get(name);
    foreign.delete(name);
    if (other === undefined) merge.mine.push({ name, from, to });
    else if (other.to !== to) merge.conflicts.push({ name, base: from, mine: to, theirs: other.to });
  }
  merge.theirs.push(...foreign.values());
  return merge;
}

/** Their map with my changes in it, and what was chosen for the entries that both changed. */
export function mergedMap(theirs: EntryMap, merge: MapMerge, choices: ReadonlyMap<string, EntryValue>): EntryMap {
  const result = new Map(theirs);
  const put = (name: string, value: EntryValue): void => {
    if (value === undefined) result.delete(name);
    else result.set(name, value);
  };
  for (const { name, to } of merge.mine) put(name, to);
  for (const { name, mine } of merge.conflicts) put(name, choices.has(name) ? choices.get(name) : mine);
  return result;
}
