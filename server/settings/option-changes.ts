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

/**
 * History entries of a save.
 * @param rows rows that it replaces
 */
export function changesOf(written: readonly OptionRecord[], rows: ReadonlyMap<string, OptionRecord>, seq: number): OptionChangeRecord[] {
  return written.flatMap((row, index) => {
    if (!isSettingKey(row.id)) return [];
    const difference = differenceOf(row.id, rows.get(row.id), row);
    // A map with another formatting, or a default saved explicitly.
    if (difference.entries?.length === 0 || (difference.before !== undefined && difference.before === difference.after)) return [];
    const what = { id: seq * placesPerSave + index, key: row.id, revision: row.revision };
    return { ...what, created_at: row.updated_at, actor_id: row.updated_by, ...difference };
  });
}

type Difference = Pick<OptionChangeRecord, 'before' | 'after' | 'entries' | 'was_set' | 'is_set'>;

function differenceOf(key: SettingKey, old: OptionRecord | undefined, row: OptionRecord): Difference {
  if (isSecret(key)) return { was_set: old !== undefined && old.value !== '', is_set: row.value !== '' };
  const [before, after] = [old?.value ?? defaultText(key), row.value];
  const [from, to] = isMapSetting(key) ? [parseMap(before), parseMap(after)] : [null, null];
  const difference: Difference = from === null || to === null ? { before, after } : { entries: changedEntries(from, to) };
  return JSON.stringify(difference).length > longestChange ? {} : difference;
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
