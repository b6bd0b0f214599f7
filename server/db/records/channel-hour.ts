/** What was called through one channel in one hour; `server/exchange/channel-figures.ts` counts. Kept for two days. */
export interface ChannelHourRecord {
  /** `<channel>:<hour>`. */
  id: string;
  channel_id: number;
  /** When the hour began, unix seconds. */
  hour: number;
  calls: number;
  /** Calls that failed because of the channel. */
  failures: number;
  /** `ms_<from>` → first bytes that took at least that many milliseconds and less than the next. */
  first_byte: Record<string, number>;
  /** The sums of the same, in milliseconds. Hours of earlier versions have none. */
  first_byte_ms?: Record<string, number>;
  /** Of prompts, and of those what came from the provider's cache. Hours of earlier versions have none. */
  prompt_tokens?: number;
  cached_tokens?: number;
}
