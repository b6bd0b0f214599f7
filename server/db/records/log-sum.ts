import type { HourSums } from './call-sums.ts';

/** Sums of calls by the hour or the day, for one `key` of `server/logs/rollup-shape.ts`. */
export interface LogSumRecord extends HourSums {
  id: string;
  key: string;
  /** When the hour or the day (UTC) began, unix seconds. */
  start: number;
  model_name: string;
  channel_id: number;
  group: string;
  hidden: boolean;
  failed: boolean;
}
