/** What was called through one channel in five minutes, or in what was left of them after a passed test; `server/exchange/channel-slots.ts` counts. Kept for a day. */
export interface ChannelSlotRecord {
  /** `<channel>:<slot>`, or `<channel>:<begins>`. */
  id: string;
  channel_id: number;
  /** When the five minutes began, unix seconds. */
  slot: number;
  /** When a test passed within them, milliseconds: what came before is not in here. */
  begins?: number;
  calls: number;
  /** Calls that failed because of the channel. */
  failures: number;
  /** Of the last failure: HTTP status of the upstream, 0 without an answer. Absent: there was none. */
  status?: number;
  /** The first failure, unix seconds. Absent: there was none, or an earlier version counted. */
  first_at?: number;
}
