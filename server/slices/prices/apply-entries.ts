// Writes entries into the price maps, each only if it is still as it was found and means the same prices: a change that was reviewed is applied as
// reviewed or not at all.
import { AppError } from '#shared/errors.ts';
import type { PriceLine } from '#shared/price-sync.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import { settings as catalogue } from '#shared/settings.ts';
import { isHeldByFiles } from '#server/audit-log/actor.ts';
import { heldByFile } from '#server/audit-log/managed-records.ts';
import type { AppContext } from '#server/context.ts';
import type { PriceEntryRecord } from '#server/db/records/price-review.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { saveOptions } from '#server/features/options/save-options.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { markOfEntry } from '#server/settings/managed-entries.ts';
import type { SaveReason } from '#server/settings/option-changes.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import {
  byPriceKey,
  changedLines,
  isPriceKey,
  isSamePrice,
  mapWith,
  type PriceKey,
  priceKeys,
  type Prices,
  pricesAbout,
  shownPrices,
} from './price-lines.ts';

export interface EntriesOfModel {
  model: string;
  entries: readonly PriceEntryRecord[];
  /** Prices that the entries change, in US dollars. Ratios mean others after an edit of what they are relative to. */
  lines: readonly PriceLine[];
}

export interface AppliedEntries {
  /** Models whose entries are as wanted now. */
  done: string[];
  /** Models with an entry that was edited meanwhile, that means another price now, or that a file manages; nothing of theirs was written. */
  changed: string[];
}

const mostAttempts = 20;

/**
 * Applies the changes of several models in one save.
 * @throws {AppError} `option_denied`, `database_unavailable`
 */
export async function applyEntries(
  context: AppContext,
  models: readonly EntriesOfModel[],
  by: { actor: Pick<UserRecord, 'id' | 'username' | 'role'>; reason: SaveReason },
): Promise<AppliedEntries> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const { maps, ...result } = await plan(context, models);
    if (maps.size === 0) return result;
    const edits = [...maps].map(([key, { values, revision }]) => ({ key, value: JSON.stringify(Object.fromEntries(values)), revision }));
    try {
      await saveOptions(context, edits, { ...by, conflictData: () => undefined });
      return result;
    } catch (failure) {
      // Someone else has saved one of the maps: their entries are read again.
      if (!(failure instanceof AppError) || failure.code !== 'revision_conflict') throw failure;
    }
  }
  throw new AppError('database_unavailable', {}, { retryAfter: 1 });
}

interface EditedMap {
  values: Map<string, number>;
  revision: number;
}

async function plan(context: AppContext, models: readonly EntriesOfModel[]): Promise<AppliedEntries & { maps: Map<PriceKey, EditedMap> }> {
  await finishOptionWrites(context);
  const stored = await storedMaps(context, models.length === 0 ? [] : priceKeys);
  const prices = byPriceKey((key) => mapWith(stored.get(key)?.values ?? []));
  const quotaPerUnit = context.settings.get('QuotaPerUnit');
  const [done, changed]: [string[], string[]] = [[], []];
  const maps = new Map<PriceKey, EditedMap>();
  for (const { model, entries, lines } of models) {
    const known = entries.flatMap(({ key, ...entry }) => (isPriceKey(key) ? [{ key, ...entry }] : []));
    const valueOf = ({ key, name }: (typeof known)[number]) => stored.get(key)?.values.get(name);
    const isApplied = known.every((entry) => valueOf(entry) === entry.after);
    const isManaged = known.some(({ key, name }) => markOfEntry(context.settings.managed, key, name) !== undefined);
    if (isManaged && !isApplied) checkEntriesAreOpen(context, known);
    if (
      (isManaged && !isApplied) ||
      known.length < entries.length ||
      (!isApplied && known.some((entry) => valueOf(entry) !== entry.before)) ||
      (!isApplied && !areAmong(lines, linesOf(model, known, { prices, quotaPerUnit })))
    ) {
      changed.push(model);
      continue;
    }
    done.push(model);
    if (isApplied) continue;
    for (const { key, name, after } of known) {
      const map = stored.get(key);
      if (map === undefined) continue;
      if (after === undefined) map.values.delete(name);
      else map.values.set(name, after);
      maps.set(key, map);
    }
  }
  return { done, changed, maps };
}

/** What the entries change now. */
function linesOf(
  model: string,
  entries: readonly { key: PriceKey; name: string; after?: number | undefined }[],
  { prices, quotaPerUnit }: { prices: Prices; quotaPerUnit: number },
): PriceLine[] {
  const before = pricesAbout(model, prices);
  const after = byPriceKey((key): Record<string, number> => {
    const map = new Map(Object.entries(before[key]));
    for (const entry of entries) {
      if (entry.key !== key) continue;
      if (entry.after === undefined) map.delete(entry.name);
      else map.set(entry.name, entry.after);
    }
    return mapWith(map);
  });
  return changedLines(shownPrices(model, before, quotaPerUnit), shownPrices(model, after, quotaPerUnit));
}

/** Reports whether each line is among the others. Further ones come of other decisions. */
function areAmong(lines: readonly PriceLine[], others: readonly PriceLine[]): boolean {
  const isSame = (one: number | undefined, other: number | undefined) =>
    one === undefined || other === undefined ? one === other : isSamePrice(one, other);
  const byName = new Map(others.map((line) => [line.name, line]));
  return lines.every(({ name, before, after }) => {
    const other = byName.get(name);
    return other !== undefined && isSame(before, other.before) && isSame(after, other.after);
  });
}

/** Prices of a file are changed there. Jobs leave them waiting. @throws {AppError} `managed_by_file` for people */
export function checkEntriesAreOpen({ settings }: Pick<AppContext, 'settings'>, entries: readonly { key: string; name: string }[]): void {
  if (!isHeldByFiles()) return;
  for (const { key, name } of entries) {
    const mark = markOfEntry(settings.managed, key, name);
    if (mark !== undefined) throw heldByFile({ name, managed: { ...mark, left: [] } }, key);
  }
}

async function storedMaps({ db, log }: AppContext, keys: readonly PriceKey[]): Promise<Map<PriceKey, EditedMap>> {
  const rows = new Map((await db.collection('options').find({ id: { in: keys } })).map((row) => [row.id, row]));
  return new Map(
    keys.map((key) => {
      const row = rows.get(key);
      const parsed = catalogue[key].parse(row?.value ?? defaultText(key), key);
      if (!parsed.ok) log.warn({ option: key, problem: parsed.problem.code }, 'a stored price map is not valid, its default is edited');
      return [key, { values: entriesOf(parsed.ok ? parsed.value : defaultsOf(key)), revision: row?.revision ?? 0 }];
    }),
  );
}

function defaultsOf(key: PriceKey): NumberMap {
  const parsed = catalogue[key].parse(defaultText(key), key);
  return parsed.ok ? parsed.value : {};
}

function entriesOf(map: NumberMap): Map<string, number> {
  return new Map(Object.entries(map));
}
