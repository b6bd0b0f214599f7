// Prices of one model as lines that people compare: US dollars by kind of tokens, call or second, and factors of lengths and tiers.
import { decimalOf, multiply, quotient } from '#shared/decimal.ts';
import { findPrice, type PriceMaps } from '#shared/find-price.ts';
import { modelFit } from '#shared/long-inputs.ts';
import type { PriceLine, PriceLineUnit } from '#shared/price-sync.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import type { Price, UsagePrice } from '#shared/pricing.ts';
import type { SettingKey } from '#shared/settings.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import { toolPricesOf } from '#shared/tool-prices.ts';
import { tuningPriceOf } from '#shared/tuning-prices.ts';
import { priceSettings } from '#server/settings/price-maps.ts';
import type { Settings } from '#server/settings/settings.ts';

/** Settings that hold prices of models by name. */
export const priceKeys = [...priceSettings.map(([, key]) => key), 'ToolPrice', 'FineTuningPrice'] as const satisfies readonly SettingKey[];
export type PriceKey = (typeof priceKeys)[number];
/** All price maps. */
export type Prices = Readonly<Record<PriceKey, NumberMap>>;

export function isPriceKey(key: string): key is PriceKey {
  return priceKeys.some((one) => one === key);
}

/** Makes a value for each price map. */
export function byPriceKey<Value>(make: (key: PriceKey) => Value): Record<PriceKey, Value> {
  const made: Partial<Record<PriceKey, Value>> = {};
  for (const key of priceKeys) made[key] = make(key);
  if (!isWhole(made)) throw new Error('A price map is missing');
  return made;
}

function isWhole<Value>(made: Partial<Record<PriceKey, Value>>): made is Record<PriceKey, Value> {
  return priceKeys.every((key) => Object.hasOwn(made, key));
}

/** A price map that has its entries alone: models may have names that every object has. */
export function mapWith(entries: Iterable<readonly [string, number]>): Record<string, number> {
  const map: Record<string, number> = Object.create(null);
  for (const [name, value] of entries) map[name] = value;
  return map;
}

export function pricesOf(settings: Pick<Settings, 'get'>): Prices {
  return byPriceKey((key) => settings.get(key));
}

const marked: ReadonlySet<PriceKey> = new Set(['LongInputPrice', 'TierPrice', 'VideoPrice', 'ToolPrice', 'FineTuningPrice']);

/** Returns the model of an entry, or its pattern with `*`; `*` for an entry of all models. */
export function subjectOf(key: PriceKey, name: string): string {
  if (!marked.has(key)) return name;
  const at = name.indexOf(':');
  return at < 0 ? '*' : name.slice(at + 1);
}

/** Returns the entries that concern a model, or a pattern itself. Most maps have hundreds of others. */
export function pricesAbout(subject: string, prices: Prices): Prices {
  const isPattern = subject.endsWith('*');
  return byPriceKey((key) => {
    const about: Record<string, number> = Object.create(null);
    const map = prices[key];
    if (!marked.has(key)) {
      const value = map[subject];
      if (value !== undefined) about[subject] = value;
      return about;
    }
    for (const [name, value] of Object.entries(map)) {
      const models = subjectOf(key, name);
      if (models === subject || (!isPattern && (models === '*' || modelFit(subject, models) >= 0))) about[name] = value;
    }
    return about;
  });
}

/** A price on a date. `follows`: from other prices of the model. `shared`: of all models. */
interface Shown {
  unit: PriceLineUnit;
  value: number;
  from: 'model' | 'follows' | 'shared';
}
export type ShownPrices = ReadonlyMap<string, Shown>;

/** @param prices of `pricesAbout`, or all */
export function shownPrices(subject: string, prices: Prices, quotaPerUnit: number): ShownPrices {
  return subject.endsWith('*') ? shownEntries(subject, prices) : shownModel(subject, prices, quotaPerUnit);
}

/** Whether calls of the model have a price. */
export function priceOfModel(subject: string, prices: Prices): Price | null {
  return findPrice(subject, mapsOf(prices));
}

function shownModel(model: string, prices: Prices, quotaPerUnit: number): ShownPrices {
  const shown = new Map<string, Shown>();
  const add = (name: string, unit: PriceLineUnit, value: number, from: Shown['from'] = 'model') => shown.set(name, { unit, value, from });
  const price = findPrice(model, mapsOf(prices));
  if (price?.kind === 'call') {
    if (price.videos === undefined) add('call', 'call', price.modelPrice);
    for (const { height, price: each } of price.videos ?? []) add(`video:${height}`, 'second', each);
  }
  if (price?.kind === 'usage') addUsage(price, quotaPerUnit, add);
  for (const [tool, each] of Object.entries(toolPricesOf(model, prices.ToolPrice))) add(`tool:${tool}`, 'thousand', each, 'shared');
  for (const [part, each] of Object.entries(tuningPriceOf(model, prices.FineTuningPrice) ?? {})) add(`tuning:${part}`, 'million', each);
  return shown;
}

type Add = (name: string, unit: PriceLineUnit, value: number, from?: Shown['from']) => void;

function addUsage(price: UsagePrice, quotaPerUnit: number, add: Add): void {
  const dollars = (ratio: number, base = price.modelRatio): number =>
    quotient([base, ratio, 1_000_000].map(decimalOf).reduce(multiply), decimalOf(quotaPerUnit));
  const followsIf = (condition: boolean) => (condition ? 'follows' : 'model');
  const { completionRatio, cacheRatio, cacheCreationRatio, cacheCreation1hRatio, audioInputRatio, imageInputRatio } = price;
  add('input', 'million', dollars(price.inputRatio ?? 1));
  add('output', 'million', dollars(completionRatio));
  add('cached', 'million', dollars(cacheRatio), followsIf(cacheRatio === 1));
  add('written', 'million', dollars(cacheCreationRatio), followsIf(cacheCreationRatio === 1.25));
  add('written_1h', 'million', dollars(cacheCreation1hRatio), followsIf(cacheCreation1hRatio === cacheCreationRatio * 1.6));
  add('audio_input', 'million', dollars(audioInputRatio), followsIf(audioInputRatio === 1));
  add('audio_output', 'million', dollars(price.audioOutputRatio), followsIf(price.audioOutputRatio === completionRatio));
  add('audio_cached', 'million', dollars(price.audioCacheRatio ?? cacheRatio), followsIf(price.audioCacheRatio === undefined));
  add('image_input', 'million', dollars(imageInputRatio), followsIf(imageInputRatio === 1));
  add('image_output', 'million', dollars(price.imageOutputRatio), followsIf(price.imageOutputRatio === completionRatio));
  for (const { above, price: long } of price.longInputs ?? []) {
    add(`long_input:${above}`, 'million', dollars(long.inputRatio ?? 1));
    add(`long_output:${above}`, 'million', dollars(long.completionRatio));
  }
  for (const [name, { tier }] of price.tiers ?? []) {
    add(`tier:${name}`, 'factor', tier?.factor ?? 1);
    for (const [part, factor] of Object.entries(tier?.parts ?? {})) add(`tier:${name}/${part}`, 'factor', factor);
  }
}

/** Of a pattern, whose entries apply to several models. */
function shownEntries(pattern: string, prices: Prices): ShownPrices {
  const shown = new Map<string, Shown>();
  for (const key of marked) {
    for (const [name, value] of Object.entries(prices[key])) {
      if (subjectOf(key, name) !== pattern) continue;
      const line = lineOfEntry(key, pattern === '*' ? name : name.slice(0, -pattern.length - 1));
      if (line !== undefined) shown.set(line.name, { unit: line.unit, value, from: 'model' });
    }
  }
  return shown;
}

function lineOfEntry(key: PriceKey, head: string): Pick<PriceLine, 'name' | 'unit'> | undefined {
  if (key === 'TierPrice') return { name: `tier:${head}`, unit: 'factor' };
  if (key === 'ToolPrice') return { name: `tool:${head}`, unit: 'thousand' };
  if (key === 'FineTuningPrice') return { name: `tuning:${head}`, unit: 'million' };
  if (key === 'VideoPrice') return { name: `video:${head.replace(/p$/, '')}`, unit: 'second' };
  const [side, above] = head.split('>');
  return above === undefined ? undefined : { name: `long_${side}:${above}`, unit: 'factor' };
}

/** A price that is stored as a quotient may return slightly off. */
const tolerance = 1e-9;

export function isSamePrice(one: number, other: number): boolean {
  return Math.abs(one - other) <= tolerance * Math.max(Math.abs(one), Math.abs(other));
}

/** What differs, in the order of a price list. */
export function changedLines(before: ShownPrices, after: ShownPrices): PriceLine[] {
  const names = [...new Set([...after.keys(), ...before.keys()])];
  return names.flatMap((name): PriceLine[] => {
    const [old, now] = [before.get(name), after.get(name)];
    const unit = now?.unit ?? old?.unit ?? 'factor';
    if (old !== undefined && now !== undefined) {
      const isKnown = isSamePrice(old.value, now.value) || (old.from === 'follows' && now.from === 'follows');
      return isKnown ? [] : [{ name, unit, before: old.value, after: now.value }];
    }
    if ((old ?? now)?.from !== 'model') return [];
    return [{ name, unit, ...(old === undefined ? {} : { before: old.value }), ...(now === undefined ? {} : { after: now.value }) }];
  });
}

function mapsOf(prices: Prices): PriceMaps {
  return {
    modelPrice: prices.ModelPrice,
    modelRatio: prices.ModelRatio,
    completionRatio: prices.CompletionRatio,
    cacheRatio: prices.CacheRatio,
    cacheCreationRatio: prices.CreateCacheRatio,
    cacheCreation1hRatio: prices.CreateCache1hRatio,
    audioRatio: prices.AudioRatio,
    audioCompletionRatio: prices.AudioCompletionRatio,
    audioCacheRatio: prices.AudioCacheRatio,
    imageRatio: prices.ImageRatio,
    imageCompletionRatio: prices.ImageCompletionRatio,
    longInputPrice: prices.LongInputPrice,
    tierPrice: prices.TierPrice,
    videoPrice: prices.VideoPrice,
  };
}

/** The name under which the prices of a model are stored. */
export function subjectOfModel(model: string): string {
  return pricedName(model);
}
