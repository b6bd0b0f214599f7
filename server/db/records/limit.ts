/** Counters of rate limits and attempts; a window ends at `reset_at` (milliseconds). */
export interface LimitRecord {
  id: string;
  count: number;
  reset_at: number;
  /** Rate limits: what a process leased and may not have used yet, by process. */
  spare?: Record<string, number>;
  /** Parallel calls: places that each process holds. */
  places?: Record<string, number>;
  /** Rate limits: work whose estimate was replaced by its usage lately, with the time in milliseconds. */
  settled?: Record<string, number>;
}
