// The price maps as a table: one row per model, in ratios as they are stored or in USD as people read them.
import { completionRatioOf } from '#shared/pricing-rules.ts';
import { parseMap, type EntryMap } from '#shared/settings.ts';

export const priceKeys = [
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'CreateCache1hRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'AudioCacheRatio',
  'ImageRatio',
  'ImageCompletionRatio',
] as const;
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

/** Models with a price, a ratio, or a value that needs one, by name. Many are known to hear who have no price here. */
export function pricedModels(maps: PriceMaps): string[] {
  return namesIn(maps, ['ModelPrice', 'ModelRatio', 'CompletionRatio', 'CacheRatio']);
}

function namesIn(maps: PriceMaps, keys: readonly PriceKey[]): string[] {
  return [...new Set(keys.flatMap((key) => [...maps[key].keys()]))].sort((one, other) => one.localeCompare(other));
}

export function rowOf(maps: PriceMaps, model: string): PriceRow {
  const set = byKey((key) => numberIn(maps[key], model));
  const completion = set.CompletionRatio;
  // A value that cannot be meant by anybody shows whether one counts.
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

/** What stands together, under one name. */
export const priceGroups = [
  { name: 'text', fields: ['input', 'output'] },
  { name: 'cache', fields: ['cached', 'written', 'writtenHour'] },
  { name: 'audio', fields: ['heard', 'cachedAudio', 'spoken'] },
  { name: 'image', fields: ['seen', 'drawn'] },
  { name: 'call', fields: ['price'] },
] as const satisfies { name: string; fields: readonly PriceField[] }[];

/** Whether somebody has set it; an output price that is built in nobody has. */
export function isSet(row: PriceRow, field: PriceField): boolean {
  return row.set[fieldKeys[field]] !== undefined;
}

/** Whether it can be typed: a price per call takes the place of all others, and a fixed ratio that of the output. */
export function isOpen(row: PriceRow, field: PriceField): boolean {
  if (field === 'price') return true;
  return row.set.ModelPrice === undefined && !(field === 'output' && row.isCompletionFixed);
}

const fieldKeys: Record<PriceField, PriceKey> = {
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
  // Two digits fewer than ratios are kept with: a quotient and its product are the price that was typed.
  return factor === undefined ? undefined : Number((baseOf(row, field, view.quotaPerUnit) * factor).toPrecision(10));
}

/** USD that a field's ratio is a factor of; 0: there is none. */
function baseOf(row: PriceRow, field: PriceField, quotaPerUnit: number): number {
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

/** Whether somebody changed one into the other; a price that is kept as a quotient may come back a trifle off. */
export function isSamePrice(one: number | undefined, other: number | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
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
 * What a typed cell changes of a model; undefined removes a value. `zero_input`: such a price cannot be kept as a factor of nothing.
 * In USD the other prices of the model stay: the ratios that hold them follow, the built-in ones are written down. A fixed ratio cannot, and
 * its price moves along. `saved`: the model as it is saved, whose prices come back with its input price.
 */
export function editOf(
  row: PriceRow,
  { field, value }: { field: PriceField; value: number | undefined },
  view: CellView,
  saved: PriceRow = row,
): PriceEdit | 'zero_input' {
  const key = fieldKeys[field];
  if (field === 'price' || view.unit === 'ratio') return { [key]: value };
  const base = field === 'input' ? 1_000_000 / view.quotaPerUnit : baseOf(row, field, view.quotaPerUnit);
  if (base === 0 && value !== undefined) return 'zero_input';
  const edit: PriceEdit = { [key]: value === undefined ? undefined : exact(value / base) };
  for (const follower of followersOf(field)) {
    const price = priceBefore(row, saved, follower, view);
    const next = withEdit(row, edit);
    const nextBase = baseOf(next, follower, view.quotaPerUnit);
    if (price === undefined || nextBase === 0 || isSamePrice(cellOf(next, follower, view), price)) continue;
    edit[fieldKeys[follower]] = exact(price / nextBase);
  }
  return edit;
}

/** What would be stored of a field for a text that is being typed in USD; undefined: nothing else than what stands there. */
export function typedRatio(row: PriceRow, field: PriceField, text: string, view: CellView): number | undefined {
  const value = typedNumber(text);
  if (field === 'price' || view.unit === 'ratio' || value === undefined || value === null) return undefined;
  const edit = editOf(row, { field, value }, view);
  return edit === 'zero_input' ? undefined : edit[fieldKeys[field]];
}

/** Fields whose ratio is a factor of that one, each after the one that it is a factor of. */
function followersOf(field: PriceField): readonly PriceField[] {
  if (field === 'input') return ['output', 'cached', 'written', 'writtenHour', 'heard', 'seen', 'cachedAudio', 'spoken', 'drawn'];
  if (field === 'heard') return ['cachedAudio', 'spoken'];
  return field === 'seen' ? ['drawn'] : [];
}

/** USD that a field is to go on showing; undefined: it shows none, or its ratio is fixed. */
function priceBefore(row: PriceRow, saved: PriceRow, field: PriceField, view: CellView): number | undefined {
  if (field === 'output' && row.isCompletionFixed) return undefined;
  const key = fieldKeys[field];
  if (field !== 'output' && row.set[key] === undefined) return undefined;
  if ((row.set.ModelRatio ?? 0) > 0) return cellOf(row, field, view);
  // Its input price was taken away or set to 0 and is typed anew.
  return (saved.set.ModelRatio ?? 0) > 0 && row.set[key] === saved.set[key] ? cellOf(saved, field, view) : undefined;
}

function withEdit(row: PriceRow, edit: PriceEdit): PriceRow {
  const set = { ...row.set, ...edit };
  const completion = set.CompletionRatio;
  return { ...row, set, completionIs: completionRatioOf(row.model, completion === undefined ? {} : { [row.model]: completion }) };
}

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
export const removal: PriceEdit = Object.fromEntries(priceKeys.map((key) => [key, undefined]));

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
export function exact(value: number): number {
  return Number(value.toPrecision(12));
}
