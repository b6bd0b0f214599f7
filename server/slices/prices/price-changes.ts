// The change that brings a model to the prices of a catalogue: entries of the price maps, as they are and as they would be.
import { createHash } from 'node:crypto';
import { product } from '#shared/decimal.ts';
import { modelFit } from '#shared/long-inputs.ts';
import { completionRatioOf } from '#shared/pricing-rules.ts';
import type { PriceGuard, PriceLine } from '#shared/price-sync.ts';
import type { PriceSyncField } from '#shared/price-sync-settings.ts';
import { factorOfPart, type TierPart, tierFactorsOf } from '#shared/service-tiers.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import { settingProblem } from '#shared/settings.ts';
import type { PriceReviewRecord } from '#server/db/records/price-review.ts';
import { type CataloguePrices, InvalidPrice, modelRatioOf, ratioOf, type TokenKind, type TokenPrices } from './catalogues/catalogue.ts';
import {
  byPriceKey,
  changedLines,
  type PriceKey,
  priceKeys,
  priceOfModel,
  type Prices,
  pricesAbout,
  shownPrices,
  subjectOf,
} from './price-lines.ts';

/** One entry of a price map; a missing value: there is none. */
export interface PriceEntry {
  key: PriceKey;
  name: string;
  before?: number;
  after?: number;
}

export interface PriceChange {
  /** Model, or pattern. */
  model: string;
  entries: PriceEntry[];
  lines: PriceLine[];
  guards: PriceGuard[];
  isNew: boolean;
  unplaced: string[];
}

export interface ChangeTerms {
  prices: Prices;
  quotaPerUnit: number;
  fields: ReadonlySet<PriceSyncField>;
  guardPercent: number;
}

/** Field of the settings that decides whether a sync changes the map. */
const fieldOfKey: Record<PriceKey, PriceSyncField> = {
  ModelPrice: 'call',
  ModelRatio: 'text',
  CompletionRatio: 'text',
  CacheRatio: 'cache',
  CreateCacheRatio: 'cache',
  CreateCache1hRatio: 'cache',
  AudioRatio: 'audio',
  AudioCompletionRatio: 'audio',
  AudioCacheRatio: 'audio',
  ImageRatio: 'image',
  ImageCompletionRatio: 'image',
  LongInputPrice: 'long',
  TierPrice: 'tier',
  VideoPrice: 'video',
  ToolPrice: 'tool',
  FineTuningPrice: 'tuning',
};

type Maps = Record<PriceKey, Record<string, number>>;

/**
 * Changes a model to the prices of a catalogue; what the catalogue does not state stays. Null: nothing changes.
 * @throws {InvalidPrice} if a price map cannot have a quotient of them
 */
export function changeToCatalogue(model: string, wanted: CataloguePrices, terms: ChangeTerms): PriceChange | null {
  const scoped = pricesAbout(model, terms.prices);
  const maps = copyOf(scoped);
  const unplaced = [...wanted.unplaced];
  const has = (field: PriceSyncField) => terms.fields.has(field);
  if (wanted.perSecond !== undefined && has('video')) {
    const matching = Object.keys(maps.VideoPrice).filter((name) => subjectOf('VideoPrice', name) === model);
    for (const name of matching) delete maps.VideoPrice[name];
    for (const { height, usd } of wanted.perSecond) maps.VideoPrice[`${height}p:${model}`] = usd;
  } else if (wanted.perCall !== undefined && has('call')) maps.ModelPrice[model] = wanted.perCall;
  // A price per call wins over one by tokens.
  else if (wanted.tokens !== undefined && has('text') && (has('call') || maps.ModelPrice[model] === undefined))
    setTokens(model, maps, wanted, { ...terms, tokens: wanted.tokens, unplaced });
  return changeTo(model, scoped, maps, { ...terms, unplaced });
}

interface TokenTerms extends ChangeTerms {
  tokens: TokenPrices & { input: number };
  unplaced: string[];
}

function setTokens(model: string, maps: Maps, wanted: CataloguePrices, terms: TokenTerms): void {
  const { tokens, quotaPerUnit, fields, unplaced } = terms;
  const { input, output } = tokens;
  if (input === 0) {
    // Ratios are relative to the price of input.
    if (Object.values(tokens).some((price) => price > 0)) unplaced.push('input');
    else maps.ModelRatio[model] = 0;
    return;
  }
  delete maps.ModelPrice[model];
  maps.ModelRatio[model] = modelRatioOf(input, quotaPerUnit);
  if (output !== undefined) setCompletion(model, maps, ratioOf(output, input), unplaced);
  const set = (key: PriceKey, price: number | undefined, base: number) => {
    if (price !== undefined && base > 0) maps[key][model] = ratioOf(price, base);
  };
  if (fields.has('cache')) {
    set('CacheRatio', tokens.cacheRead, input);
    set('CreateCacheRatio', tokens.cacheWrite, input);
    set('CreateCache1hRatio', tokens.cacheWrite1h, input);
  }
  if (fields.has('audio')) {
    set('AudioRatio', tokens.audioInput, input);
    const base = product(input, maps.AudioRatio[model] ?? 1);
    set('AudioCompletionRatio', tokens.audioOutput, base);
    set('AudioCacheRatio', tokens.audioCacheRead, base);
  }
  if (fields.has('image')) {
    set('ImageRatio', tokens.imageInput, input);
    set('ImageCompletionRatio', tokens.imageOutput, product(input, maps.ImageRatio[model] ?? 1));
  }
  if (fields.has('long')) for (const long of wanted.long ?? []) setLong(model, maps, long, terms);
  if (fields.has('tier')) for (const [tier, prices] of Object.entries(wanted.tiers ?? {})) setTier(model, maps, { tier, prices }, terms);
}

/** Some models have a fixed ratio, which no setting overrides. */
function setCompletion(model: string, maps: Maps, ratio: number, unplaced: string[]): void {
  if (isNear(completionRatioOf(model, maps.CompletionRatio), ratio)) return;
  if (completionRatioOf(model, { [model]: ratio }) === ratio) maps.CompletionRatio[model] = ratio;
  else unplaced.push('output');
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(one, other);
}

/** Reads and writes of the cache cost the factor of input beyond a bound. */
function setLong(model: string, maps: Maps, { above, ...prices }: { above: number } & TokenPrices, { tokens, unplaced }: TokenTerms): void {
  const { input, output } = prices;
  if (input === undefined) {
    unplaced.push(`above ${above}`);
    return;
  }
  const factor = ratioOf(input, tokens.input);
  maps.LongInputPrice[`input>${above}:${model}`] = factor;
  if (output !== undefined && (tokens.output ?? 0) > 0)
    maps.LongInputPrice[`output>${above}:${model}`] = ratioOf(output, tokens.output ?? 1);
  for (const kind of ['cacheRead', 'cacheWrite', 'cacheWrite1h', 'audioInput', 'imageInput'] as const) {
    const [long, usual] = [prices[kind], tokens[kind]];
    if (long !== undefined && usual !== undefined && usual > 0 && !isNear(ratioOf(long, usual), factor))
      unplaced.push(`${kind} above ${above}`);
  }
}

/** Kinds of tokens that may have a factor of their own in a tier, in an order in which those that follow another one come later. */
const tierParts: readonly (readonly [TokenKind, TierPart])[] = [
  ['output', 'completion'],
  ['cacheRead', 'cached'],
  ['cacheWrite', 'cache_creation'],
  ['cacheWrite1h', 'cache_creation_1h'],
  ['audioInput', 'audio_input'],
  ['audioOutput', 'audio_output'],
  ['audioCacheRead', 'cached_audio'],
  ['imageInput', 'image_input'],
  ['imageOutput', 'image_output'],
];

function setTier(
  model: string,
  maps: Maps,
  { tier, prices }: { tier: string; prices: TokenPrices },
  { tokens, unplaced }: TokenTerms,
): void {
  if (prices.input === undefined) {
    unplaced.push(tier);
    return;
  }
  const factor = ratioOf(prices.input, tokens.input);
  const factors = () => tierFactorsOf(model, maps.TierPrice).get(tier);
  if (!isNear(factors()?.factor ?? (tier === 'batch' ? 0.5 : 1), factor)) maps.TierPrice[`${tier}:${model}`] = factor;
  for (const [kind, part] of tierParts) {
    const [inTier, usual] = [prices[kind], tokens[kind]];
    if (inTier === undefined || usual === undefined || usual === 0) continue;
    const wanted = ratioOf(inTier, usual);
    const known = factors();
    const current = known === undefined ? (tier === 'batch' ? 0.5 : 1) : factorOfPart(known, part);
    if (!isNear(current, wanted)) maps.TierPrice[`${tier}/${part}:${model}`] = wanted;
  }
}

/**
 * Changes a model or pattern to the entries of another Tidegate.
 * @param maps as `pricesAbout` the model, with ratios of this installation
 * @throws {InvalidPrice} as `changeToCatalogue`
 */
export function changeToOwn(model: string, maps: Prices, terms: ChangeTerms): PriceChange | null {
  const scoped = pricesAbout(model, terms.prices);
  const wanted = copyOf(scoped);
  for (const key of priceKeys) {
    if (!terms.fields.has(fieldOfKey[key])) continue;
    for (const name of Object.keys(wanted[key])) if (subjectOf(key, name) === model) delete wanted[key][name];
    for (const [name, value] of Object.entries(maps[key])) if (subjectOf(key, name) === model) wanted[key][name] = value;
  }
  return changeTo(model, scoped, wanted, { ...terms, unplaced: [] });
}

function copyOf(prices: Prices): Maps {
  return byPriceKey((key) => Object.assign<Record<string, number>, NumberMap>(Object.create(null), prices[key]));
}

function changeTo(model: string, before: Prices, after: Prices, terms: ChangeTerms & { unplaced: string[] }): PriceChange | null {
  const lines = changedLines(shownPrices(model, before, terms.quotaPerUnit), shownPrices(model, after, terms.quotaPerUnit));
  if (lines.length === 0) return null;
  const entries = differingEntries(before, after);
  for (const { key, name, after: value } of entries) {
    if (value !== undefined && settingProblem(key, JSON.stringify({ [name]: value })) !== undefined) throw new InvalidPrice(key);
  }
  const isPattern = model.endsWith('*');
  const [old, now] = isPattern ? [null, null] : [priceOfModel(model, before), priceOfModel(model, after)];
  const guards: PriceGuard[] = [];
  if (old !== null && now === null) guards.push('lost');
  if (old !== null && now !== null && old.kind !== now.kind) guards.push('kind');
  if (lines.some(({ before: was = 1, after: is }) => is === 0 && was > 0)) guards.push('free');
  if (old?.kind === now?.kind && lines.some((line) => isFar(line, terms.guardPercent))) guards.push('moved');
  return { model, entries, lines, guards, isNew: !isPattern && old === null, unplaced: terms.unplaced };
}

function isFar({ before, after }: PriceLine, percent: number): boolean {
  if (before === undefined || after === undefined || after === 0) return false;
  return before === 0 || Math.abs(after / before - 1) > percent / 100 + 1e-9;
}

function differingEntries(before: Prices, after: Prices): PriceEntry[] {
  return priceKeys.flatMap((key) => {
    const names = [...new Set([...Object.keys(before[key]), ...Object.keys(after[key])])];
    return names.flatMap((name): PriceEntry[] => {
      const [old, now] = [before[key][name], after[key][name]];
      if (old === now || (old !== undefined && now !== undefined && isNear(old, now))) return [];
      return [{ key, name, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) }];
    });
  });
}

/** Identifies the content of a change: equal only if the same entries have the same values before and after, and mean the same prices. */
export function revisionOf({ entries, lines }: Pick<PriceReviewRecord, 'entries' | 'lines'>): string {
  return createHash('sha256')
    .update(JSON.stringify([entries, lines]))
    .digest('base64url')
    .slice(0, 22);
}

/** Whether a name is one of these, of which `*` at the end stands for any ending. */
export function isListed(model: string, names: readonly string[]): boolean {
  return names.some((name) => modelFit(model, name) >= 0);
}
