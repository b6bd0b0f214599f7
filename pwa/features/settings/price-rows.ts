// The price maps as a table: one row per model, in ratios as they are stored or in USD as people read them.
import { completionRatioOf } from '#shared/pricing-rules.ts';
import { type EntryMap, parseMap } from './setting-texts.ts';

export const priceKeys = ['ModelPrice', 'ModelRatio', 'CompletionRatio', 'CacheRatio'] as const;
export type PriceKey = (typeof priceKeys)[number];
export type PriceMaps = Record<PriceKey, EntryMap>;
/** `usd`: per million tokens. */
export type PriceUnit = 'usd' | 'ratio';

export interface PriceRow {
  model: string;
  /** USD per call; it wins over the ratios. */
  price: number | undefined;
  ratio: number | undefined;
  completion: number | undefined;
  cache: number | undefined;
  /** What an output token costs as a factor of an input token, whatever is set. */
  completionIs: number;
  /** It is built in: what is set does not count. */
  isCompletionFixed: boolean;
}

/** Undefined while one of the texts is no map. */
export function mapsOf(textOf: (key: PriceKey) => string): PriceMaps | undefined {
  const [ModelPrice, ModelRatio, CompletionRatio, CacheRatio] = priceKeys.map((key) => parseMap(textOf(key)));
  if (ModelPrice == null || ModelRatio == null || CompletionRatio == null || CacheRatio == null) return undefined;
  return { ModelPrice, ModelRatio, CompletionRatio, CacheRatio };
}

/** Models with a value in one of the maps, by name. */
export function pricedModels(maps: PriceMaps): string[] {
  return [...new Set(priceKeys.flatMap((key) => [...maps[key].keys()]))].sort((one, other) => one.localeCompare(other));
}

/** Neither a price nor a ratio: calls to it are refused, unless the site is for the own use only. */
export function isUnpriced(maps: PriceMaps, model: string): boolean {
  return !maps.ModelPrice.has(model) && !maps.ModelRatio.has(model);
}

export function rowOf(maps: PriceMaps, model: string): PriceRow {
  const completion = numberIn(maps.CompletionRatio, model);
  // A value that cannot be meant by anybody shows whether one counts.
  const probe = -1;
  return {
    model,
    price: numberIn(maps.ModelPrice, model),
    ratio: numberIn(maps.ModelRatio, model),
    completion,
    cache: numberIn(maps.CacheRatio, model),
    completionIs: completionRatioOf(model, completion === undefined ? {} : { [model]: completion }),
    isCompletionFixed: completionRatioOf(model, { [model]: probe }) !== probe,
  };
}

function numberIn(map: EntryMap, model: string): number | undefined {
  const value = map.get(model);
  return typeof value === 'number' ? value : undefined;
}

export const priceFields = ['input', 'output', 'cached', 'price'] as const;
export type PriceField = (typeof priceFields)[number];

/** What a cell shows; undefined: nothing is set. */
export function cellOf(row: PriceRow, field: PriceField, view: { unit: PriceUnit; quotaPerUnit: number }): number | undefined {
  if (field === 'price') return row.price;
  if (view.unit === 'ratio') return field === 'input' ? row.ratio : field === 'output' ? row.completion : row.cache;
  if (row.ratio === undefined) return undefined;
  const input = usdOf(row.ratio, view.quotaPerUnit);
  if (field === 'input') return input;
  if (field === 'output') return exact(input * row.completionIs);
  return row.cache === undefined ? undefined : exact(input * row.cache);
}

/** As a cell shows it while nobody types in it: prices with at least two decimals, and no more digits than a person compares. */
export function shownNumber(value: number | undefined, { isPrice }: { isPrice: boolean }): string {
  if (value === undefined) return '';
  const rounded = String(Number(value.toPrecision(5)));
  if (!isPrice || rounded.includes('e')) return rounded;
  const decimals = rounded.split('.')[1]?.length ?? 0;
  return decimals < 2 ? Number(rounded).toFixed(2) : rounded;
}

export type PriceEdit = Partial<Record<PriceKey, number | undefined>>;

/**
 * What a typed cell changes of a model; undefined removes a value. `zero_input`: a price of output cannot be kept as a factor of nothing.
 */
export function editOf(
  row: PriceRow,
  { field, value }: { field: PriceField; value: number | undefined },
  view: { unit: PriceUnit; quotaPerUnit: number },
): PriceEdit | 'zero_input' {
  if (field === 'price') return { ModelPrice: value };
  const key = fieldKeys[field];
  if (view.unit === 'ratio' || value === undefined) return { [key]: value };
  const inputUsd = row.ratio === undefined ? 0 : usdOf(row.ratio, view.quotaPerUnit);
  if (field !== 'input') return inputUsd === 0 ? 'zero_input' : { [key]: exact(value / inputUsd) };
  const edit: PriceEdit = { ModelRatio: exact((value * view.quotaPerUnit) / 1_000_000) };
  // The other prices stay what they are in USD: they are kept as factors of this one.
  if (value > 0 && inputUsd > 0) {
    if (row.completion !== undefined && !row.isCompletionFixed) edit.CompletionRatio = exact((inputUsd * row.completion) / value);
    if (row.cache !== undefined) edit.CacheRatio = exact((inputUsd * row.cache) / value);
  }
  return edit;
}

const fieldKeys = { input: 'ModelRatio', output: 'CompletionRatio', cached: 'CacheRatio' } as const;

export type BatchFill = { price: number } | { ratio?: number; completion?: number };

/** The same for all of them. A price takes the place of ratios, and a ratio that of a price. */
export function fillEdit(fill: BatchFill): PriceEdit {
  if ('price' in fill) return { ModelPrice: fill.price, ModelRatio: undefined, CompletionRatio: undefined };
  return {
    ...(fill.ratio === undefined ? {} : { ModelRatio: fill.ratio, ModelPrice: undefined }),
    ...(fill.completion === undefined ? {} : { CompletionRatio: fill.completion }),
  };
}

/** The texts of the maps that an edit of these models changes. */
export function editedTexts(maps: PriceMaps, models: readonly string[], edit: PriceEdit): Map<PriceKey, string> {
  return editedTextsOfMany(maps, new Map(models.map((model) => [model, edit])));
}

/** The same of several models, each with an edit of its own. */
export function editedTextsOfMany(maps: PriceMaps, edits: ReadonlyMap<string, PriceEdit>): Map<PriceKey, string> {
  const texts = new Map<PriceKey, string>();
  for (const key of priceKeys) {
    const changed = [...edits].filter(([, edit]) => Object.hasOwn(edit, key));
    if (changed.length === 0) continue;
    const map = new Map(maps[key]);
    for (const [model, { [key]: value }] of changed) {
      if (value === undefined) map.delete(model);
      else map.set(model, value);
    }
    texts.set(key, JSON.stringify(Object.fromEntries(map), null, 2));
  }
  return texts;
}

/** The model leaves the table. */
export const removal: PriceEdit = { ModelPrice: undefined, ModelRatio: undefined, CompletionRatio: undefined, CacheRatio: undefined };

export interface PriceChange {
  model: string;
  fields: { field: PriceField; before: number | undefined; after: number | undefined }[];
}

/** What differs between two states of the maps, in USD, by the models' names. */
export function priceChanges(before: PriceMaps, after: PriceMaps, quotaPerUnit: number): PriceChange[] {
  const view = { unit: 'usd', quotaPerUnit } as const;
  const models = [...new Set([...pricedModels(before), ...pricedModels(after)])].sort((one, other) => one.localeCompare(other));
  return models.flatMap((model) => {
    const [old, now] = [rowOf(before, model), rowOf(after, model)];
    const fields = priceFields.flatMap((field) => {
      const [from, to] = [cellOf(old, field, view), cellOf(now, field, view)];
      return from === to ? [] : [{ field, before: from, after: to }];
    });
    return fields.length === 0 ? [] : [{ model, fields }];
  });
}

/** A number from 0 up; null: the text is none; undefined: it is empty. */
export function typedNumber(text: string): number | undefined | null {
  const plain = text.trim().replaceAll(',', '');
  if (plain === '') return undefined;
  return /^(\d{1,10}(\.\d{0,12})?|\.\d{1,12})$/.test(plain) ? Number(plain) : null;
}

function usdOf(ratio: number, quotaPerUnit: number): number {
  return exact((ratio * 1_000_000) / quotaPerUnit);
}

/** Without what binary fractions leave behind the twelfth digit. */
function exact(value: number): number {
  return Number(value.toPrecision(12));
}
