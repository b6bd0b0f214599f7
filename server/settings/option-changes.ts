// History of options: what is stored of a save. It is stored as long as the audit log, whose entries refer to it.
import { z } from 'zod';
import { type EntryMap, isMapSetting, isSecret, isSettingKey, mapChanges, parseMap, type SettingKey } from '#shared/settings.ts';
import type { ChangedEntry, OptionChangeRecord } from '#server/db/records/option-change.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { defaultText } from '#server/settings/defaults.ts';

/** Maximum characters of a stored change; for a longer one, only its occurrence is stored. */
export const longestChange = 100_000;
/** More changes than a save can have. */
const placesPerSave = 1000;

/** Number of the save that made a change. */
export function saveOf(id: number): number {
  return Math.floor(id / placesPerSave);
}

/** Why values are saved. */
export type SaveReason = Pick<OptionChangeRecord, 'source' | 'note'>;

interface Save {
  /** Rows that it replaces. */
  rows: ReadonlyMap<string, OptionRecord>;
  seq: number;
  reason?: SaveReason | undefined;
}

/** History entries of a save. */
export function changesOf(written: readonly OptionRecord[], { rows, seq, reason = {} }: Save): OptionChangeRecord[] {
  const changes = written.flatMap((row) => {
    if (!isSettingKey(row.id)) return [];
    const { id: key, revision } = row;
    return differencesOf(key, rows.get(key), row).flatMap((difference) =>
      // A map with another formatting, or a default saved explicitly.
      difference.entries?.length === 0 || (difference.before !== undefined && difference.before === difference.after)
        ? []
        : [{ key, revision, created_at: row.updated_at, actor_id: row.updated_by, ...reason, ...difference }],
    );
  });
  return changes.slice(0, placesPerSave).map((change, index) => ({ id: seq * placesPerSave + index, ...change }));
}

type Difference = Pick<OptionChangeRecord, 'before' | 'after' | 'entries' | 'was_set' | 'is_set'>;

/** Entries of a map that are stored together. */
const entriesTogether = 1000;

/** A map with very many changed entries has several differences: prices of a past day are read from them. */
function differencesOf(key: SettingKey, old: OptionRecord | undefined, row: OptionRecord): Difference[] {
  if (isSecret(key)) return [{ was_set: old !== undefined && old.value !== '', is_set: row.value !== '' }];
  const [before, after] = [old?.value ?? defaultText(key), row.value];
  const [from, to] = isMapSetting(key) ? [parseMap(before), parseMap(after)] : [null, null];
  const differences = from === null || to === null ? [{ before, after }] : inParts(changedEntries(from, to));
  return differences.map((difference) => (JSON.stringify(difference).length > longestChange ? {} : difference));
}

function inParts(entries: ChangedEntry[]): Difference[] {
  if (entries.length <= entriesTogether || entries.some(({ before, after }) => typeof before === 'string' || typeof after === 'string'))
    return [{ entries }];
  const parts = Math.ceil(entries.length / entriesTogether);
  return Array.from({ length: parts }, (_, index) => ({ entries: entries.slice(index * entriesTogether, (index + 1) * entriesTogether) }));
}

function changedEntries(from: EntryMap, to: EntryMap): ChangedEntry[] {
  return mapChanges(from, to).map(({ name, from: before, to: after }) => ({
    name,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }));
}

const StoredChange = z.object({
  id: z.int(),
  key: z.string(),
  revision: z.int(),
  created_at: z.number(),
  actor_id: z.number(),
  source: z.string().optional(),
  note: z.string().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
  entries: z
    .array(
      z.object({
        name: z.string(),
        before: z.union([z.number(), z.string()]).optional(),
        after: z.union([z.number(), z.string()]).optional(),
      }),
    )
    .optional(),
  was_set: z.boolean().optional(),
  is_set: z.boolean().optional(),
});

/** Changes of a save that was committed but perhaps not copied. */
export function storedChanges(value: unknown): OptionChangeRecord[] {
  return z.array(StoredChange).catch([]).parse(value);
}
