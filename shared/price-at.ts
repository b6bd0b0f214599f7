// A model's price by how long a prompt is, and by the lane that it takes.
import type { Price, PricedUsage, UsagePrice } from '#shared/pricing.ts';

/** The one of a price that a call of such a length has in its lane. */
export function priceAt<P extends Price>(price: P, { promptTokens, longestInput = promptTokens, tier }: PricedUsage): P | UsagePrice {
  if (price.kind === 'call') return price;
  const usual: UsagePrice = price;
  const inTier = tier === undefined ? usual : (usual.tiers?.get(tier) ?? usual);
  return inTier.longInputs?.find(({ above }) => longestInput > above)?.price ?? inTier;
}
