import type { PriceGuard, PriceLine } from '#shared/price-sync.ts';

/** Entry of a price map: the setting, its name there, and its value before and after; absent: there is none. */
export interface PriceEntryRecord {
  key: string;
  name: string;
  before?: number | undefined;
  after?: number | undefined;
}

/** Change of a model's prices that a sync found and that waits for a person, or was dismissed. */
export interface PriceReviewRecord {
  /** Model, or pattern with `*` at its end. */
  id: string;
  /** Identifies the content (`revisionOf`). */
  revision: string;
  /** A dismissed change returns when the catalogue's price changes. */
  state: 'waiting' | 'dismissed';
  entries: PriceEntryRecord[];
  lines: PriceLine[];
  guards: PriceGuard[];
  is_new: boolean;
  unplaced: string[];
  provider: string;
  source: string;
  /** Unix seconds. */
  found_at: number;
}
