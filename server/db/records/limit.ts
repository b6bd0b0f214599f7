/** Counters of rate limits and attempts; a window ends at `reset_at` (milliseconds). */
export interface LimitRecord {
  id: string;
  count: number;
  reset_at: number;
}
