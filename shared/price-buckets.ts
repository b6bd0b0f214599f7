// What of a call has a price of its own: tokens by bucket, disjoint.
import type { PricedUsage, UsagePrice } from '#shared/pricing.ts';

/**
 * The parts of a call that have prices of their own, in the order of a receipt; a new one is one more row. The first row is the whole
 * input and `completion` the whole output; what follows each of them is a share of it.
 */
export const buckets = [
  { part: 'prompt', tokens: 'promptTokens', ratio: null },
  { part: 'cached', tokens: 'cachedTokens', ratio: 'cacheRatio' },
  { part: 'cached_audio', tokens: 'audioCacheTokens', ratio: 'audioCacheRatio' },
  { part: 'cached_image', tokens: 'imageCacheTokens', ratio: 'imageCacheRatio' },
  { part: 'cache_creation', tokens: 'cacheCreationTokens', ratio: 'cacheCreationRatio' },
  { part: 'cache_creation_1h', tokens: 'cacheCreation1hTokens', ratio: 'cacheCreation1hRatio' },
  { part: 'audio_input', tokens: 'audioInputTokens', ratio: 'audioInputRatio' },
  { part: 'image_input', tokens: 'imageInputTokens', ratio: 'imageInputRatio' },
  { part: 'completion', tokens: 'completionTokens', ratio: 'completionRatio' },
  { part: 'audio_output', tokens: 'audioOutputTokens', ratio: 'audioOutputRatio' },
  { part: 'image_output', tokens: 'imageOutputTokens', ratio: 'imageOutputRatio' },
] as const;
const tokenNames = buckets.map(({ tokens }) => tokens);
const outputAt = buckets.findIndex(({ part }) => part === 'completion');

export type Bucket = (typeof buckets)[number];

export function ratioOf(price: UsagePrice, { ratio }: Bucket): number {
  return ratio === null ? (price.inputRatio ?? 1) : (price[ratio] ?? price.cacheRatio);
}

/** The tokens of each bucket, disjoint. Providers that report more cached tokens than input mean the input. */
export function countsOf(usage: PricedUsage, counts: number[] = []): number[] {
  for (let index = 0; index < tokenNames.length; index += 1) {
    const count = usage[tokenNames[index] ?? 'promptTokens'] ?? 0;
    // As `isCount`.
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`Not a number of tokens in ${JSON.stringify(usage)}`);
    counts[index] = count;
  }
  takeShares(counts, 0, outputAt);
  takeShares(counts, outputAt, buckets.length);
  return counts;
}

/** Takes what stands between `whole` and `end` off the whole, as far as that goes. */
function takeShares(counts: number[], whole: number, end: number): void {
  let rest = counts[whole] ?? 0;
  if (rest === 0) {
    counts.fill(0, whole, end);
    return;
  }
  for (let index = whole + 1; index < end; index += 1) {
    const share = Math.min(counts[index] ?? 0, rest);
    counts[index] = share;
    rest -= share;
  }
  counts[whole] = rest;
}

export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

export function isNothing(counts: readonly number[]): boolean {
  for (let index = 0; index < counts.length; index += 1) if ((counts[index] ?? 0) > 0) return false;
  return true;
}
