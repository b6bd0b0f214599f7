// Edits of the price table: what a typed cell, a fill of many rows or a removal changes of the maps.
import { completionRatioOf } from '#shared/pricing-rules.ts';
import {
  baseOf,
  cellOf,
  type CellView,
  exact,
  fieldKeys,
  isSamePrice,
  type PriceField,
  type PriceKey,
  priceKeys,
  type PriceMaps,
  type PriceRow,
} from './price-rows.ts';

/** What stands together, under one name. */
export const priceGroups = [
  { name: 'text', fields: ['input', 'output'] },
  { name: 'cache', fields: ['cached', 'written', 'writtenHour'] },
  { name: 'audio', fields: ['heard', 'cachedAudio', 'spoken'] },
  { name: 'image', fields: ['seen', 'drawn'] },
  { name: 'call', fields: ['price'] },
] as const satisfies { name: string; fields: readonly PriceField[] }[];

/** Whether the field has a stored value; built-in output prices have none. */
export function isSet(row: PriceRow, field: PriceField): boolean {
  return row.set[fieldKeys[field]] !== undefined;
}

/** Whether it can be typed: a price per call takes the place of all others, and a fixed ratio that of the output. */
export function isOpen(row: PriceRow, field: PriceField): boolean {
  if (field === 'price') return true;
  return row.set.ModelPrice === undefined && !(field === 'output' && row.isCompletionFixed);
}

/** Text of a cell that is not being edited: prices with at least two decimals, five digits at most. */
export function shownNumber(value: number | undefined, { isPrice }: { isPrice: boolean }): string {
  if (value === undefined) return '';
  const rounded = String(Number(value.toPrecision(5)));
  if (!isPrice || rounded.includes('e')) return rounded;
  const decimals = rounded.split('.')[1]?.length ?? 0;
  return decimals < 2 ? Number(rounded).toFixed(2) : rounded;
}

export type PriceEdit = Partial<Record<PriceKey, number | undefined>>;

/**
 * What a typed cell changes of a model; undefined removes a value. `zero_input`: a price cannot be stored as a factor of an input price of 0.
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

/** USD that a field continues to show; undefined: it shows none, or its ratio is fixed. */
function priceBefore(row: PriceRow, saved: PriceRow, field: PriceField, view: CellView): number | undefined {
  if (field === 'output' && row.isCompletionFixed) return undefined;
  const key = fieldKeys[field];
  if (field !== 'output' && row.set[key] === undefined) return undefined;
  if ((row.set.ModelRatio ?? 0) > 0) return cellOf(row, field, view);
  // The input price was removed or set to 0, and a new one is typed.
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

/** A number from 0 up; null: the text is none; undefined: it is empty. */
export function typedNumber(text: string): number | undefined | null {
  const plain = text.trim().replaceAll(',', '');
  if (plain === '') return undefined;
  return /^(\d{1,10}(\.\d{0,12})?|\.\d{1,12})$/.test(plain) ? Number(plain) : null;
}
