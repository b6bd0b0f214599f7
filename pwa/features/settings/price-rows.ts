// The price maps as a table: one row per model, in ratios as they are stored or in USD as people read them.
import { completionRatioOf } from '#shared/pricing-rules.ts';
import { modelPriceKeys as priceKeys } from '#shared/model-price-keys.ts';
import { parseMap, type EntryMap } from '#shared/settings.ts';

export { priceKeys };

export type PriceKey = (typeof priceKeys)[number];
export function isPriceKey(key: string): key is PriceKey {
  return (priceKeys as readonly string[]).includes(key);
}
export type PriceMaps = Record<PriceKey, EntryMap>;
/** `usd`: per million tokens. */
export type PriceUnit = 'usd' | 'ratio';

export interface PriceRow {
  model: string;
  /** What is set, by the map that it stands in. */
  set: Readonly<Record<PriceKey, number | undefined>>;
  /** What an output token costs as a factor of an input token, whatever is set. */
  completionIs: number;
  /** It is built in: what is set does not count. */
  isCompletionFixed: boolean;
}

/** Undefined while one of the texts is no map. */
export function mapsOf(textOf: (key: PriceKey) => string): PriceMaps | undefined {
  let isBroken = false;
  const maps = byKey((key) => {
    const map = parseMap(textOf(key));
    if (map === null) isBroken = true;
    return map ?? noEntries;
  });
  return isBroken ? undefined : maps;
}

const noEntries: EntryMap = new Map();

function byKey<Value>(of: (key: PriceKey) => Value): Record<PriceKey, Value> {
  return {
    ModelPrice: of('ModelPrice'),
    ModelRatio: of('ModelRatio'),
    CompletionRatio: of('CompletionRatio'),
    CacheRatio: of('CacheRatio'),
    CreateCacheRatio: of('CreateCacheRatio'),
    CreateCache1hRatio: of('CreateCache1hRatio'),
    AudioRatio: of('AudioRatio'),
    AudioCompletionRatio: of('AudioCompletionRatio'),
    AudioCacheRatio: of('AudioCacheRatio'),
    ImageRatio: of('ImageRatio'),
    ImageCompletionRatio: of('ImageCompletionRatio'),
  };
}

/** Models with a price, a ratio, or a value that needs one, by name. Many known models with audio input have no price here. */
export function pricedModels(maps: PriceMaps): string[] {
  return namesIn(maps, ['ModelPrice', 'ModelRatio', 'CompletionRatio', 'CacheRatio']);
}

function namesIn(maps: PriceMaps, keys: readonly PriceKey[]): string[] {
  return [...new Set(keys.flatMap((key) => [...maps[key].keys()]))].sort((one, other) => one.localeCompare(other));
}

export function rowOf(maps: PriceMaps, model: string): PriceRow {
  const set = byKey((key) => numberIn(maps[key], model));
  const completion = set.CompletionRatio;
  // An impossible ratio shows whether a set ratio has an effect.
  const probe = -1;
  return {
    model,
    set,
    completionIs: completionRatioOf(model, completion === undefined ? {} : { [model]: completion }),
    isCompletionFixed: completionRatioOf(model, { [model]: probe }) !== probe,
  };
}

function numberIn(map: EntryMap, model: string): number | undefined {
  const value = map.get(model);
  return typeof value === 'number' ? value : undefined;
}

export const priceFields = [
  'input',
  'output',
  'cached',
  'written',
  'writtenHour',
  'heard',
  'cachedAudio',
  'spoken',
  'seen',
  'drawn',
  'price',
] as const;
export type PriceField = (typeof priceFields)[number];

export const fieldKeys: Record<PriceField, PriceKey> = {
  input: 'ModelRatio',
  output: 'CompletionRatio',
  cached: 'CacheRatio',
  written: 'CreateCacheRatio',
  writtenHour: 'CreateCache1hRatio',
  heard: 'AudioRatio',
  cachedAudio: 'AudioCacheRatio',
  spoken: 'AudioCompletionRatio',
  seen: 'ImageRatio',
  drawn: 'ImageCompletionRatio',
  price: 'ModelPrice',
};

export interface CellView {
  unit: PriceUnit;
  quotaPerUnit: number;
}

/** What a cell shows; undefined: nothing is set. */
export function cellOf(row: PriceRow, field: PriceField, view: CellView): number | undefined {
  const own = row.set[fieldKeys[field]];
  if (field === 'price' || view.unit === 'ratio') return own;
  const { ModelRatio } = row.set;
  if (ModelRatio === undefined) return undefined;
  const factor = field === 'input' ? 1 : field === 'output' ? row.completionIs : own;
  // Two digits fewer than stored ratios have: a quotient and its product are the price that was typed.
  return factor === undefined ? undefined : Number((baseOf(row, field, view.quotaPerUnit) * factor).toPrecision(10));
}

/** USD that a field's ratio is a factor of; 0: there is none. */
export function baseOf(row: PriceRow, field: PriceField, quotaPerUnit: number): number {
  const { ModelRatio, AudioRatio = 1, ImageRatio = 1 } = row.set;
  if (ModelRatio === undefined) return 0;
  const input = usdOf(ModelRatio, quotaPerUnit);
  if (field === 'drawn') return input * ImageRatio;
  return field === 'spoken' || field === 'cachedAudio' ? input * AudioRatio : input;
}

/** What of a model differs between two states. */
export function changedFields(
  old: PriceRow,
  now: PriceRow,
  view: CellView,
): { field: PriceField; before: number | undefined; after: number | undefined }[] {
  return priceFields.flatMap((field) => {
    const [before, after] = [cellOf(old, field, view), cellOf(now, field, view)];
    return isSamePrice(before, after) ? [] : [{ field, before, after }];
  });
}

/** Whether two prices are the same to an editor; a price that is stored as a quotient may return slightly off. */
export function isSamePrice(one: number | undefined, other: number | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
}

export interface PriceChange {
  model: string;
  /** `ratio`: nothing that it costs in USD changes, only a factor of a price that it does not have. */
  unit: PriceUnit;
  fields: { field: PriceField; before: number | undefined; after: number | undefined }[];
}

/** What differs between two states of the maps, by the models' names. */
export function priceChanges(before: PriceMaps, after: PriceMaps, quotaPerUnit: number): PriceChange[] {
  const models = [...new Set([...namesIn(before, priceKeys), ...namesIn(after, priceKeys)])].filter((model) =>
    priceKeys.some((key) => before[key].get(model) !== after[key].get(model)),
  );
  return models
    .sort((one, other) => one.localeCompare(other))
    .flatMap((model) => {
      const [old, now] = [rowOf(before, model), rowOf(after, model)];
      for (const unit of ['usd', 'ratio'] as const) {
        const fields = changedFields(old, now, { unit, quotaPerUnit });
        if (fields.length > 0) return [{ model, unit, fields }];
      }
      return [];
    });
}

function usdOf(ratio: number, quotaPerUnit: number): number {
  return exact((ratio * 1_000_000) / quotaPerUnit);
}

/** Without what binary fractions leave behind the twelfth digit. */
export function exact(value: number): number {
  return Number(value.toPrecision(12));
}
