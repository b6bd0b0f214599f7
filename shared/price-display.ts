// Prices and charges as people read them.
import { decimalOf, decimalText, multiply } from '#shared/decimal.ts';
import type { Log, LogOther } from '#shared/logs.ts';
import { cacheCreation1hRatioOf } from '#shared/pricing.ts';
import type { Price, PricedUsage } from '#shared/pricing.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';

/** USD per million tokens: ratio × 2 × group ratio while a dollar is 500,000 quota. */
export function pricesPerMillion(
  ratios: { model_ratio: number; completion_ratio: number; cache_ratio: number },
  groupRatio: number,
  quotaPerUnit: number = defaultQuotaPerUnit,
): { prompt: number; cached: number; completion: number } {
  const usd = (...factors: number[]) => product(1_000_000 / quotaPerUnit, ratios.model_ratio, groupRatio, ...factors);
  return { prompt: usd(), cached: usd(ratios.cache_ratio), completion: usd(ratios.completion_ratio) };
}

/** USD per call. */
export function pricePerCall(modelPrice: number, groupRatio: number): number {
  return product(modelPrice, groupRatio);
}

/** The price that a log row remembers; null when it remembers none. */
export function priceOfLog(other: LogOther): Price | null {
  if (other.model_price !== undefined && other.model_price >= 0) return { kind: 'call', modelPrice: other.model_price };
  if (other.model_ratio === undefined) return null;
  const cacheCreationRatio = other.cache_creation_ratio ?? 1.25;
  return {
    kind: 'usage',
    modelRatio: other.model_ratio,
    completionRatio: other.completion_ratio ?? 1,
    cacheRatio: other.cache_ratio ?? 1,
    cacheCreationRatio,
    cacheCreation1hRatio: other.cache_creation_ratio_1h ?? cacheCreation1hRatioOf(cacheCreationRatio),
  };
}

/** The usage that a log row remembers. */
export function usageOfLog(log: Pick<Log, 'prompt_tokens' | 'completion_tokens'>, other: LogOther): PricedUsage {
  const cachedTokens = other.cache_tokens ?? 0;
  const written = other.cache_creation_tokens ?? 0;
  const cacheCreation1hTokens = Math.min(written, other.cache_creation_tokens_1h ?? 0);
  // Rows of the Claude format count cache tokens beside the input, not within.
  const beside = other['claude'] === true ? cachedTokens + written : 0;
  return {
    // A task has a price and no tokens; a call without any would cost nothing.
    promptTokens: other.task === undefined ? log.prompt_tokens + beside : 1,
    completionTokens: log.completion_tokens,
    cachedTokens,
    cacheCreationTokens: written - cacheCreation1hTokens,
    cacheCreation1hTokens,
  };
}

function product(...factors: number[]): number {
  return Number(decimalText(factors.map(decimalOf).reduce(multiply)));
}
