// Prices of storage. A GB is 2^30 bytes, as at the vendor: https://platform.openai.com/docs/pricing
import type { AppContext } from '#server/context.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { ratioOfGroup } from '#server/settings/group-moves.ts';

export type StoreTerms = Pick<VectorStoreRecord, 'price' | 'group_ratio' | 'quota_per_unit'>;

export const daySeconds = 86_400;
const gigabyte = 2 ** 30;
/** Tolerance when rounding floats that should be integers. */
const rounding = 1e-9;

/** Current terms, for a day that begins. */
export function termsOf(
  { settings }: Pick<AppContext, 'settings'>,
  { group, userGroup }: { group: string; userGroup: string | undefined },
): StoreTerms {
  return {
    price: settings.get('VectorStorePrice'),
    group_ratio: ratioOfGroup(settings, group, userGroup),
    quota_per_unit: settings.get('QuotaPerUnit'),
  };
}

/**
 * Quota, rounded up.
 * @param seconds of a day
 */
export function storingCost({ price, group_ratio: ratio, quota_per_unit: unit }: StoreTerms, bytes: number, seconds: number): number {
  const exact = price * ratio * unit * (bytes / gigabyte) * (seconds / daySeconds);
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(exact * (1 - rounding))));
}
