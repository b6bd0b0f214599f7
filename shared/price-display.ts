// Prices and charges as people read them.
import { product } from '#shared/decimal.ts';
import type { Log, LogOther } from '#shared/logs.ts';
import { audioRatiosOf, cacheCreation1hRatioOf } from '#shared/find-price.ts';
import type { Price, PricedUsage } from '#shared/pricing.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';

interface PricedRatios {
  model_ratio: number;
  completion_ratio: number;
  cache_ratio: number;
  cache_creation_ratio?: number | undefined;
  audio_ratio?: number | undefined;
  audio_output_ratio?: number | undefined;
  image_ratio?: number | undefined;
  image_output_ratio?: number | undefined;
  audio_cache_ratio?: number | undefined;
  image_cache_ratio?: number | undefined;
}

/** What is absent has no price of its own. */
export interface PricesPerMillion {
  prompt: number;
  cached: number;
  completion: number;
  /** To the cache, for five minutes. */
  written?: number;
  /** Audio. */
  heard?: number;
  spoken?: number;
  /** Pictures. */
  seen?: number;
  drawn?: number;
  /** Audio and pictures from the cache. */
  cachedAudio?: number;
  cachedImage?: number;
}

/** USD per million tokens: ratio × 2 × group ratio while a dollar is 500,000 quota. */
export function pricesPerMillion(ratios: PricedRatios, groupRatio: number, quotaPerUnit: number = defaultQuotaPerUnit): PricesPerMillion {
  const usd = (...factors: number[]) => product(1_000_000 / quotaPerUnit, ratios.model_ratio, groupRatio, ...factors);
  const { cache_creation_ratio: written, audio_ratio: heard, audio_output_ratio: spoken } = ratios;
  const { image_ratio: seen, image_output_ratio: drawn } = ratios;
  const { audio_cache_ratio: cachedAudio, image_cache_ratio: cachedImage } = ratios;
  return {
    prompt: usd(),
    cached: usd(ratios.cache_ratio),
    completion: usd(ratios.completion_ratio),
    ...(written === undefined ? {} : { written: usd(written) }),
    ...(heard === undefined ? {} : { heard: usd(heard) }),
    ...(spoken === undefined ? {} : { spoken: usd(spoken) }),
    ...(seen === undefined ? {} : { seen: usd(seen) }),
    ...(drawn === undefined ? {} : { drawn: usd(drawn) }),
    ...(cachedAudio === undefined ? {} : { cachedAudio: usd(cachedAudio) }),
    ...(cachedImage === undefined ? {} : { cachedImage: usd(cachedImage) }),
  };
}

/** USD per call. */
export function pricePerCall(modelPrice: number, groupRatio: number): number {
  return product(modelPrice, groupRatio);
}

/** The price that a log row remembers; null when it remembers none. */
export function priceOfLog(other: LogOther): Price | null {
  if (other.model_price !== undefined && other.model_price >= 0) return { kind: 'call', modelPrice: other.model_price };
  if (other.model_ratio === undefined) return null;
  const inputRatio = other.input_ratio ?? 1;
  const cacheCreationRatio = other.cache_creation_ratio ?? 1.25;
  const completionRatio = other.completion_ratio ?? 1;
  const audio = audioRatiosOf(completionRatio, { audioRatio: other.audio_ratio, audioCompletionRatio: other.audio_completion_ratio });
  return {
    kind: 'usage',
    modelRatio: other.model_ratio,
    completionRatio,
    cacheRatio: other.cache_ratio ?? 1,
    cacheCreationRatio,
    cacheCreation1hRatio: other.cache_creation_ratio_1h ?? cacheCreation1hRatioOf(cacheCreationRatio),
    audioInputRatio: audio.audioInputRatio,
    audioOutputRatio: other.audio_output_ratio ?? audio.audioOutputRatio,
    imageInputRatio: other.image_ratio ?? inputRatio,
    imageOutputRatio: other.image_output_ratio ?? completionRatio,
    audioCacheRatio: other.audio_cache_ratio,
    imageCacheRatio: other.image_cache_ratio,
    ...(inputRatio === 1 ? {} : { inputRatio }),
  };
}

/** The usage that a log row remembers. */
export function usageOfLog(log: Pick<Log, 'prompt_tokens' | 'completion_tokens'>, other: LogOther): PricedUsage {
  const cached = other.cache_tokens ?? 0;
  const audioCacheTokens = Math.min(cached, other.audio_cache_tokens ?? 0);
  const imageCacheTokens = Math.min(cached - audioCacheTokens, other.image_cache_tokens ?? 0);
  const written = other.cache_creation_tokens ?? 0;
  const cacheCreation1hTokens = Math.min(written, other.cache_creation_tokens_1h ?? 0);
  // Rows of the Claude format count cache tokens apart from the input, not within it.
  const beside = other['claude'] === true ? cached + written : 0;
  return {
    // A task has a price and no tokens; a call without any would cost nothing.
    promptTokens: other.task === undefined ? log.prompt_tokens + beside : 1,
    completionTokens: log.completion_tokens,
    cachedTokens: cached - audioCacheTokens - imageCacheTokens,
    audioCacheTokens,
    imageCacheTokens,
    cacheCreationTokens: written - cacheCreation1hTokens,
    cacheCreation1hTokens,
    audioInputTokens: other.audio_input ?? 0,
    audioOutputTokens: other.audio_output ?? 0,
    imageInputTokens: other.image_input ?? 0,
    imageOutputTokens: other.image_output ?? 0,
    units: other.units,
    tier: other.service_tier,
  };
}

/**
 * What the provider's cache saved of a call, in quota of its time, not rounded: tokens that it read at their price instead of the
 * prompt's, without what writing to it cost beyond that. Negative where it cost more than it saved; null where no cache was used.
 * `share`: of the prompt's tokens, those that were read.
 */
export function cacheSavings(
  log: Pick<Log, 'prompt_tokens' | 'completion_tokens'>,
  other: LogOther,
): { quota: number; share: number } | null {
  const price = priceOfLog(other);
  if (price === null || price.kind === 'call') return null;
  const used = usageOfLog(log, other);
  const {
    promptTokens,
    cachedTokens = 0,
    audioCacheTokens = 0,
    imageCacheTokens = 0,
    cacheCreationTokens = 0,
    cacheCreation1hTokens = 0,
  } = used;
  const cached = cachedTokens + audioCacheTokens + imageCacheTokens;
  if (cached + cacheCreationTokens + cacheCreation1hTokens === 0) return null;
  const { inputRatio = 1, cacheRatio, audioCacheRatio = cacheRatio, imageCacheRatio = cacheRatio } = price;
  const read =
    cachedTokens * (inputRatio - cacheRatio) +
    audioCacheTokens * (price.audioInputRatio - audioCacheRatio) +
    imageCacheTokens * (price.imageInputRatio - imageCacheRatio);
  const written =
    cacheCreationTokens * (price.cacheCreationRatio - inputRatio) + cacheCreation1hTokens * (price.cacheCreation1hRatio - inputRatio);
  const share = promptTokens === 0 ? 0 : Math.min(1, cached / promptTokens);
  return { quota: (read - written) * price.modelRatio * (other.group_ratio ?? 1), share };
}
