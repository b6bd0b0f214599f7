import type { HourSums } from './call-sums.ts';

/** Sums of calls by one dimension, for the dashboard; `server/logs/fold-usage.ts` computes them from the hours. */
export interface UsageSumRecord extends HourSums {
  id: string;
  /** Owner, dimension, and hour or day: see `usageKey`. */
  key: string;
  /** Start of the hour or day (UTC), unix seconds. */
  start: number;
  /**
   * Model, channel or user id, or the token's `tokenUsageName` (its name in sums of earlier versions); empty for a
   * total.
   */
  name: string;
}
