import type { HourSums } from './call-sums.ts';

/** Sums of the calls of one hour by all dimensions; `server/logs/fold-log.ts` computes them from the rows. */
export interface LogHourRecord extends HourSums {
  /** `hourPrefix(hour)` and a digest of the fields below. */
  id: string;
  /** Start of the hour, unix seconds. */
  hour: number;
  user_id: number;
  token_id: number;
  token_name: string;
  model_name: string;
  channel_id: number;
  group: string;
  /** Sums of unlisted rows. */
  hidden: boolean;
  /** Sums of failed calls. */
  failed: boolean;
  /** Only on sums of calls that were imported from another gateway. */
  imported?: 1;
}
