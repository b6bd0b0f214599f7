import type { CatalogueFormat, PriceSyncFailure } from '#shared/price-sync.ts';

/** One comparison of the prices with a catalogue. */
export interface PriceSyncRecord {
  id: number;
  trigger: 'schedule' | 'console';
  /** User that started it; 0: the schedule. */
  user_id: number;
  state: 'running' | 'done' | 'failed';
  /** Set while it runs, by a unique index: there is one at a time. */
  running?: 1;
  /** Times in unix seconds. */
  started_at: number;
  ended_at?: number;
  /** Host of the catalogue. */
  source: string;
  format?: CatalogueFormat;
  failure?: PriceSyncFailure;
  detail?: string;
  compared: number;
  applied: number;
  waiting: number;
  invalid: string[];
  unplaced: { model: string; names: string[] }[];
  /** Models and patterns of a Tidegate's list, for what it drops later. */
  known?: string[];
}
