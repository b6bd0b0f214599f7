/**
 * Calls of one channel in five minutes, or since a test that passed within them, counted by
 * `server/exchange/channel-slots.ts`. Retained for a day.
 */
export interface ChannelSlotRecord {
  /** `<channel>:<slot>`, or `<channel>:<begins>`. */
  id: string;
  channel_id: number;
  /** Start of the five minutes, unix seconds. */
  slot: number;
  /** Time of a test that passed within them, milliseconds; earlier calls are not included. */
  begins?: number;
  calls: number;
  /** Calls that failed because of the channel. */
  failures: number;
  /** HTTP status of the last failure, 0 without a response. Undefined if there was none. */
  status?: number;
  /** Time of the first failure, unix seconds. Undefined if there was none, or in slots of earlier versions. */
  first_at?: number;
}
