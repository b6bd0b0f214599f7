// Prices and charges as people read them.
import { decimalOf, decimalText, multiply } from '#shared/decimal.ts';
import type { Log, LogOther } from '#shared/logs.ts';
import { costOf } from '#shared/pricing.ts';
import type { Price, Receipt } from '#shared/pricing.ts';
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

/**
 * How the charge of a log row comes about, from the ratios that the row remembers; null when they do not explain it (rows
 * without ratios, amounts that were cut short).
 */
export function receiptOfLog(log: Pick<Log, 'quota' | 'prompt_tokens' | 'completion_tokens'>, other: LogOther): Receipt | null {
  const price = priceOfLog(other);
  if (price === null) return null;
  const cachedTokens = other.cache_tokens ?? 0;
  const cacheCreationTokens = other.cache_creation_tokens ?? 0;
  // Rows of the Claude format count cache tokens beside the input, not within.
  const beside = other['claude'] === true ? cachedTokens + cacheCreationTokens : 0;
  const usage = {
    promptTokens: log.prompt_tokens + beside,
    completionTokens: log.completion_tokens,
    cachedTokens,
    cacheCreationTokens,
  };
  const cost = costOf(usage, price, other.group_ratio ?? 1, other.quota_per_unit ?? defaultQuotaPerUnit);
  return cost.quota === log.quota ? cost.receipt() : null;
}

function priceOfLog(other: LogOther): Price | null {
  if (other.model_price !== undefined && other.model_price >= 0) return { kind: 'call', modelPrice: other.model_price };
  if (other.model_ratio === undefined) return null;
  return {
    kind: 'usage',
    modelRatio: other.model_ratio,
    completionRatio: other.completion_ratio ?? 1,
    cacheRatio: other.cache_ratio ?? 1,
    cacheCreationRatio: other.cache_creation_ratio ?? 1.25,
  };
}

function product(...factors: number[]): number {
  return Number(decimalText(factors.map(decimalOf).reduce(multiply)));
}
