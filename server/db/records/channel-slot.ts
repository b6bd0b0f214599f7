/** What was called through one channel in five minutes; `server/upstream/channel-slots.ts` counts. Kept for a day. */
export interface ChannelSlotRecord {
  /** `<channel>:<slot>`. */
  id: string;
  channel_id: number;
  /** When the five minutes began, unix seconds. */
  slot: number;
  calls: number;
  /** Calls that failed because of the channel. */
  failures: number;
  /** Of the last failure: HTTP status of the upstream, 0 without an answer. Absent: there was none. */
  status?: number;
}
