/** Calls of one channel in one hour, counted by `server/exchange/channel-figures.ts`. Retained for two days. */
export interface ChannelHourRecord {
  /** `<channel>:<hour>`. */
  id: string;
  channel_id: number;
  /** Start of the hour, unix seconds. */
  hour: number;
  calls: number;
  /** Calls that failed because of the channel. */
  failures: number;
  /** `ms_<from>` → number of first bytes that took at least that many milliseconds and less than the next bucket. */
  first_byte: Record<string, number>;
  /** Sums of these times, in milliseconds. Undefined in hours of earlier versions. */
  first_byte_ms?: Record<string, number>;
  /** Prompt tokens, and how many of them the provider's cache served. Undefined in hours of earlier versions. */
  prompt_tokens?: number;
  cached_tokens?: number;
}
