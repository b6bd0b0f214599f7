import type { HourSums } from './call-sums.ts';

/** The calls of one hour by everything that tells them apart; `server/logs/fold-log.ts` makes them of the rows. */
export interface LogHourRecord extends HourSums {
  /** `hourPrefix(hour)` and a digest of the fields below. */
  id: string;
  /** When the hour began, unix seconds. */
  hour: number;
  user_id: number;
  token_id: number;
  token_name: string;
  model_name: string;
  channel_id: number;
  group: string;
  /** Sums of rows that are not listed. */
  hidden: boolean;
  /** Of calls that did not end well. */
  failed: boolean;
}
