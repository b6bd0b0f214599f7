// Selects a model's price by the length of the prompt, by the tier, and by the resolution of a video.
import { product } from '#shared/decimal.ts';
import type { CallPrice, Price, PricedUsage, UsagePrice } from '#shared/pricing.ts';
import { heightOf, usualHeight, type VideoPrice } from '#shared/video-prices.ts';

/** Returns the price of a call by its length and tier, or of a video by its resolution. */
export function priceAt<P extends Price>(price: P, usage: PricedUsage): P | UsagePrice | CallPrice {
  if (price.kind === 'call') return atResolution(price, usage) ?? price;
  const { promptTokens, longestInput = promptTokens, tier } = usage;
  const usual: UsagePrice = price;
  const inTier = tier === undefined ? usual : (usual.tiers?.get(tier) ?? usual);
  return inTier.longInputs?.find(({ above }) => longestInput > above)?.price ?? inTier;
}

/** A price per call as one of videos: by the second. */
export function videoPrice({ modelPrice, videos = [{ height: usualHeight, price: modelPrice }] }: CallPrice): CallPrice {
  return { kind: 'call', modelPrice, videos };
}

/** Undefined: it has no prices by resolution, or nothing says which. What a row remembers is its price already. */
function atResolution({ videos }: CallPrice, { units }: PricedUsage): CallPrice | undefined {
  if (videos === undefined || units?.kind !== 'second') return undefined;
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(units.size ?? '') ?? [];
  const requested = width === undefined || height === undefined ? usualHeight : heightOf({ width: Number(width), height: Number(height) });
  return { kind: 'call', modelPrice: pricePerSecond(videos, requested) };
}

/**
 * Returns USD per second. A resolution without a price costs as much as the next lower one by its pixels, so that a large video never has the price
 * of a small one; below the lowest it costs the lowest.
 */
export function pricePerSecond(prices: readonly VideoPrice[], height: number): number {
  const [lowest] = prices;
  const base = prices.findLast((one) => one.height <= height) ?? lowest;
  if (base === undefined) throw new RangeError('A model without a price per second');
  if (height <= base.height) return base.price;
  // In hundredths, upwards: a quotient may have no end.
  const factor = Math.ceil((height / base.height) ** 2 * 100 - 1e-9) / 100;
  return product(base.price, factor);
}
