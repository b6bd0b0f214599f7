// Groups as rows: which there are, what they cost, and who may choose them. Two maps hold it: factors by name, descriptions by name.
import { parseMap, type EntryMap } from '#shared/settings.ts';
import { mapText } from './setting-texts.ts';

export interface GroupRow {
  name: string;
  /** Undefined: only offered, and without users. */
  factor: number | undefined;
  /** What those who choose it read; undefined: administrators alone put users in it. */
  description: string | undefined;
}

export interface GroupMaps {
  factors: EntryMap;
  descriptions: EntryMap;
}

/** Undefined: one of the texts is no map (yet). */
export function groupMapsOf(factors: string, descriptions: string): GroupMaps | undefined {
  const maps = { factors: parseMap(factors), descriptions: parseMap(descriptions) };
  return maps.factors === null || maps.descriptions === null ? undefined : { factors: maps.factors, descriptions: maps.descriptions };
}

export function groupRows({ factors, descriptions }: GroupMaps): GroupRow[] {
  return [...new Set([...factors.keys(), ...descriptions.keys()])].map((name) => {
    const factor = factors.get(name);
    const description = descriptions.get(name);
    return {
      name,
      factor: typeof factor === 'number' ? factor : undefined,
      description: description === undefined ? undefined : String(description),
    };
  });
}

/** The texts of both maps with that row in its place, or without it. */
export function withRow(
  { factors, descriptions }: GroupMaps,
  name: string,
  row: Omit<GroupRow, 'name'> | undefined,
): { factors: string; descriptions: string } {
  const [nextFactors, nextDescriptions] = [new Map(factors), new Map(descriptions)];
  if (row?.factor === undefined) nextFactors.delete(name);
  else nextFactors.set(name, row.factor);
  if (row?.description === undefined) nextDescriptions.delete(name);
  else nextDescriptions.set(name, row.description);
  return { factors: mapText(nextFactors), descriptions: mapText(nextDescriptions) };
}
