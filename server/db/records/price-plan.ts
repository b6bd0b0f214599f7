import type { PriceLine } from '#shared/price-sync.ts';
import type { PriceEntryRecord } from './price-review.ts';

/** Change of a model's prices that is applied at a time. */
export interface PricePlanRecord {
  id: number;
  model: string;
  entries: PriceEntryRecord[];
  lines: PriceLine[];
  /** Unix seconds. */
  at: number;
  /** `changed`: an entry was no longer as planned. */
  state: 'waiting' | 'changed';
  /** Who planned it. */
  user_id: number;
  created_at: number;
  source: string;
}
