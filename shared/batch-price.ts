// Price of requests in batches.
import { inTier } from '#shared/find-price.ts';
import type { Price } from '#shared/pricing.ts';
import { usualTierFactors } from '#shared/service-tiers.ts';

/**
 * Returns the price of requests in batches: the tier `batch` of the price, or half of it. Prices per call stay. The result is serializable as JSON.
 */
export function batchPrice(price: Price): Price {
  if (price.kind === 'call') return price;
  const { tiers, ...usual } = price;
  return tiers?.get('batch') ?? inTier(usual, 'batch', usualTierFactors('batch'));
}
