// Settings travel as texts. Which texts mean the same, and how two edits of one map become one.
import {
  isMapSetting,
  isSettingKey,
  mapChanges,
  parseMap,
  settings,
  type EntryChange,
  type EntryMap,
  type EntryValue,
} from '#shared/settings.ts';

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
  return left.ok && right.ok && JSON.stringify(left.value) === JSON.stringify(right.value);
}

export interface MapMerge {
  /** Changed by both, to different values: the user has to choose. */
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
