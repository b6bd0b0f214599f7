import type { HourSums } from './call-sums.ts';

/** Sums of calls by hour or day, for one `key` of `server/logs/rollup-shape.ts`. */
export interface LogSumRecord extends HourSums {
  id: string;
  key: string;
  /** Start of the hour or day (UTC), unix seconds. */
  start: number;
  model_name: string;
  channel_id: number;
  group: string;
  hidden: boolean;
  failed: boolean;
  /** Only on sums of calls that were imported from another gateway. */
  imported?: 1;
}
