import type { HourSums } from './call-sums.ts';

/** What calls came to by one thing that tells them apart, for the dashboard; `server/logs/fold-usage.ts` makes them of the hours. */
export interface UsageSumRecord extends HourSums {
  id: string;
  /** Whose calls, by what, by the hour or the day: see `usageKey`. */
  key: string;
  /** When the hour or the day (UTC) began, unix seconds. */
  start: number;
  /** The model, the channel's or user's id, the token's `tokenUsageName` (its name in what earlier versions have summed); empty where nothing is told apart. */
  name: string;
}
