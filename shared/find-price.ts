// Which price a model has, by the maps of the settings.
import { decimalOf, decimalText, multiply, quotient as cutQuotient } from '#shared/decimal.ts';
import { type LongInput, longInputsOf } from '#shared/long-inputs.ts';
import { buckets, ratioOf } from '#shared/price-buckets.ts';
import { factorOfPart, type TierFactors, tierFactorsOf } from '#shared/service-tiers.ts';
import { completionRatioOf, pricedName } from '#shared/pricing-rules.ts';
import { type Price, type PricedUsage, quotaOf, type UsagePrice } from '#shared/pricing.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import type { TuningPrice } from '#shared/tuning-prices.ts';
import { videoPricesOf } from '#shared/video-prices.ts';

/** Maps of the settings that prices come from. */
export interface PriceMaps {
  /** USD per call. */
  modelPrice: NumberMap;
  modelRatio: NumberMap;
  completionRatio: NumberMap;
  cacheRatio: NumberMap;
  /** Of writes for five minutes; 1.25 for models that are not in it. */
  cacheCreationRatio?: NumberMap;
  /** Ratios of cache writes for an hour or longer; if missing, 1.6 times the ratio of writes for five minutes. */
  cacheCreation1hRatio?: NumberMap;
  /** Ratios of audio input; models that are not in it have the ratio of text input. */
  audioRatio?: NumberMap;
  /** Ratios of audio output, as a factor of audio input; models that are not in it have the ratio of text output. */
  audioCompletionRatio?: NumberMap;
  /** Ratios of cached audio, as a factor of audio input; models that are not in it have the factor of text. */
  audioCacheRatio?: NumberMap;
  /** Of pictures that are seen; models that are not in it see at the price of text. */
  imageRatio?: NumberMap;
  /** Of pictures that are drawn, as a factor of pictures that are seen; models that are not in it draw at the price of text. */
  imageCompletionRatio?: NumberMap;
  /** Factors for long prompts, by `shared/long-inputs.ts`; models that are not in it cost the same at any length. */
  longInputPrice?: NumberMap;
  /** Factors of other tiers, by `shared/service-tiers.ts`; models that are not in it cost the same in all. */
  tierPrice?: NumberMap;
  /** USD per second of video, by `shared/video-prices.ts`. */
  videoPrice?: NumberMap;
}

/** Model ratio of a model that has neither ratio nor price, where those are allowed (self-use mode). */
export const unsetModelRatio = 37.5;
const defaultCacheCreationRatio = 1.25;

/**
 * What writing to the cache for an hour costs, by what writing for five minutes does: with Claude 2 and 1.25 times the input.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
 */
export function cacheCreation1hRatioOf(cacheCreationRatio: number): number {
  return product(cacheCreationRatio, 1.6);
}

/** Returns the ratios that are set for audio, or those of text. */
export function audioRatiosOf(
  completionRatio: number,
  { audioRatio = 1, audioCompletionRatio }: { audioRatio?: number | undefined; audioCompletionRatio?: number | undefined },
): Pick<UsagePrice, 'audioInputRatio' | 'audioOutputRatio'> {
  return {
    audioInputRatio: audioRatio,
    audioOutputRatio: audioCompletionRatio === undefined ? completionRatio : product(audioRatio, audioCompletionRatio),
  };
}

/** Of what is read from the cache, where it does not cost what text from there does. */
function cachedRatiosOf(
  cacheRatio: number,
  {
    audioRatio = 1,
    audioCacheRatio = cacheRatio,
    imageRatio = 1,
  }: Readonly<Partial<Record<'audioRatio' | 'audioCacheRatio' | 'imageRatio', number | undefined>>>,
): Pick<UsagePrice, 'audioCacheRatio' | 'imageCacheRatio'> {
  const [audio, image] = [product(audioRatio, audioCacheRatio), product(imageRatio, cacheRatio)];
  return {
    ...(audio === cacheRatio ? {} : { audioCacheRatio: audio }),
    ...(image === cacheRatio ? {} : { imageCacheRatio: image }),
  };
}

/** The same for pictures. */
export function imageRatiosOf(
  completionRatio: number,
  { imageRatio = 1, imageCompletionRatio }: { imageRatio?: number | undefined; imageCompletionRatio?: number | undefined },
): Pick<UsagePrice, 'imageInputRatio' | 'imageOutputRatio'> {
  return {
    imageInputRatio: imageRatio,
    imageOutputRatio: imageCompletionRatio === undefined ? completionRatio : product(imageRatio, imageCompletionRatio),
  };
}

function product(one: number, other: number): number {
  return Number(decimalText(multiply(decimalOf(one), decimalOf(other))));
}

/** Returns the price of a model by the name that the client used; null if none is set. Reuse the result: costs are cached on it. */
export function findPrice(model: string, maps: PriceMaps): Price | null {
  const name = pricedName(model);
  const modelPrice = maps.modelPrice[name];
  const videos = videoPricesOf(name, maps.videoPrice ?? {});
  const [lowest] = videos;
  if (lowest !== undefined) return { kind: 'call', modelPrice: modelPrice ?? lowest.price, videos };
  if (modelPrice !== undefined) return { kind: 'call', modelPrice };
  const modelRatio = maps.modelRatio[name];
  return modelRatio === undefined ? null : usagePrice(name, modelRatio, maps);
}

/** Whether a model has a price of any kind. Calls to one that has none are refused, unless the site or the user accepts them. */
export function hasPrice(
  model: string,
  { modelPrice, modelRatio, videoPrice = {} }: Pick<PriceMaps, 'modelPrice' | 'modelRatio' | 'videoPrice'>,
): boolean {
  const name = pricedName(model);
  return modelPrice[name] !== undefined || modelRatio[name] !== undefined || videoPricesOf(name, videoPrice).length > 0;
}

/** The price of a model without one, where that is allowed. */
export function unsetPrice(model: string, maps: PriceMaps): Price {
  return usagePrice(pricedName(model), unsetModelRatio, maps);
}

function usagePrice(name: string, modelRatio: number, maps: PriceMaps): Price {
  const cacheCreationRatio = maps.cacheCreationRatio?.[name] ?? defaultCacheCreationRatio;
  const completionRatio = completionRatioOf(name, maps.completionRatio);
  const cacheRatio = maps.cacheRatio[name] ?? 1;
  const [audioRatio, imageRatio] = [maps.audioRatio?.[name], maps.imageRatio?.[name]];
  const usual: UsagePrice = {
    kind: 'usage',
    modelRatio,
    completionRatio,
    cacheRatio,
    cacheCreationRatio,
    cacheCreation1hRatio: maps.cacheCreation1hRatio?.[name] ?? cacheCreation1hRatioOf(cacheCreationRatio),
    ...audioRatiosOf(completionRatio, { audioRatio, audioCompletionRatio: maps.audioCompletionRatio?.[name] }),
    ...imageRatiosOf(completionRatio, { imageRatio, imageCompletionRatio: maps.imageCompletionRatio?.[name] }),
    ...cachedRatiosOf(cacheRatio, { audioRatio, audioCacheRatio: maps.audioCacheRatio?.[name], imageRatio }),
  };
  return withTiers(withLongInputs(usual, longInputsOf(name, maps.longInputPrice ?? {})), tierFactorsOf(name, maps.tierPrice ?? {}));
}

/** The price with what takes its place for long prompts. Everything that is read costs the input's factor, everything written the output's. */
export function withLongInputs(price: UsagePrice, lengths: readonly LongInput[]): UsagePrice {
  if (lengths.length === 0) return price;
  const longInputs = lengths.map(({ above, input, output }) => ({
    above,
    price: {
      ...price,
      inputRatio: product(price.inputRatio ?? 1, input),
      cacheRatio: product(price.cacheRatio, input),
      cacheCreationRatio: product(price.cacheCreationRatio, input),
      cacheCreation1hRatio: product(price.cacheCreation1hRatio, input),
      audioInputRatio: product(price.audioInputRatio, input),
      imageInputRatio: product(price.imageInputRatio, input),
      ...(price.audioCacheRatio === undefined ? {} : { audioCacheRatio: product(price.audioCacheRatio, input) }),
      ...(price.imageCacheRatio === undefined ? {} : { imageCacheRatio: product(price.imageCacheRatio, input) }),
      completionRatio: product(price.completionRatio, output),
      audioOutputRatio: product(price.audioOutputRatio, output),
      imageOutputRatio: product(price.imageOutputRatio, output),
    },
  }));
  return { ...price, longInputs };
}

/** The price with what takes its place in other tiers, long prompts included. */
function withTiers(price: UsagePrice, factors: ReadonlyMap<string, TierFactors>): UsagePrice {
  if (factors.size === 0) return price;
  return { ...price, tiers: new Map([...factors].map(([name, ofTier]) => [name, inTier(price, name, ofTier)])) };
}

export function inTier({ longInputs, ...price }: UsagePrice, name: string, factors: TierFactors): UsagePrice {
  const scaled = (one: UsagePrice): UsagePrice => ({ ...scaledBy(one, factors), tier: { name, ...factors } });
  if (longInputs === undefined) return scaled(price);
  return { ...scaled(price), longInputs: longInputs.map((long) => ({ ...long, price: scaled(long.price) })) };
}

/** The model ratio holds the tier's factor; ratios of kinds that have another one hold what is between both. */
function scaledBy(price: UsagePrice, factors: TierFactors): UsagePrice {
  const parts = Object.keys(factors.parts).length > 0;
  // Where everything but single kinds is free, the model ratio cannot hold the factor.
  const held = parts && factors.factor === 0 ? 1 : factors.factor;
  const scaled: UsagePrice = { ...price, modelRatio: product(price.modelRatio, held) };
  if (!parts) return scaled;
  for (const bucket of buckets) {
    const own = factorOfPart(factors, bucket.part);
    if (own === held && (bucket.ratio === null || price[bucket.ratio] !== undefined)) continue;
    const ratio = cutQuotient(multiply(decimalOf(ratioOf(price, bucket)), decimalOf(own)), decimalOf(held));
    if (bucket.ratio !== null) scaled[bucket.ratio] = ratio;
    else if (ratio !== 1) scaled.inputRatio = ratio;
  }
  return scaled;
}

/** A price of tokens alone. @param perMillion USD */
export function priceOfTokens(perMillion: number): UsagePrice {
  const same = { cacheRatio: 1, cacheCreationRatio: 1, cacheCreation1hRatio: 1, ...audioRatiosOf(1, {}), ...imageRatiosOf(1, {}) };
  return { kind: 'usage', modelRatio: quotient(perMillion, usdOfRatio), completionRatio: 1, ...same };
}

/**
 * Returns the price of a model that was trained from `base`: its own prices, with the base's factors of pictures and of tiers. Tiers of `ft:<base>`
 * apply to its trained models only.
 */
export function trainedPrice(base: string, { input, cached, output }: TuningPrice, maps: PriceMaps): UsagePrice {
  const name = pricedName(base);
  // Where reading is free, writing has a price all the same.
  const unit = input === 0 ? 1 : input;
  const completionRatio = quotient(output, unit);
  const usual: UsagePrice = {
    ...priceOfTokens(unit),
    completionRatio,
    cacheRatio: quotient(cached, unit),
    ...(input === 0 ? { inputRatio: 0 } : {}),
    ...audioRatiosOf(completionRatio, {}),
    ...imageRatiosOf(completionRatio, { imageRatio: maps.imageRatio?.[name], imageCompletionRatio: maps.imageCompletionRatio?.[name] }),
  };
  const factors = maps.tierPrice ?? {};
  return withTiers(usual, new Map([...tierFactorsOf(name, factors), ...tierFactorsOf(`ft:${name}`, factors)]));
}

/** Of a million tokens, at ratio 1. */
const usdOfRatio = 2;

function quotient(one: number, other: number): number {
  return Number((one / other).toPrecision(15));
}

/** Returns the tier if it costs more than the usual one: any kind of tokens, or such a call. */
export function costlierTier(price: Price, tier: string | undefined, usage?: PricedUsage): string | undefined {
  if (tier === undefined || price.kind === 'call') return undefined;
  if (costFactor(price, tier) <= 1) return undefined;
  return usage === undefined || quotaOf({ ...usage, tier }, price, 1) > quotaOf(usage, price, 1) ? tier : undefined;
}

/** Returns by how much more a tier costs than the usual one, of the kind of tokens where that is most; at least 1. */
export function costFactor({ tiers, ...usual }: UsagePrice, tier: string): number {
  const there = tiers?.get(tier);
  if (there === undefined) return 1;
  const factors = buckets.map((bucket) => {
    const before = usual.modelRatio * ratioOf(usual, bucket);
    const after = there.modelRatio * ratioOf(there, bucket);
    return after <= before ? 1 : before === 0 ? Infinity : after / before;
  });
  return Math.max(1, ...factors);
}
