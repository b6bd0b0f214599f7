/** Calls through one key of a channel in one hour, counted by `server/exchange/keys/key-figures.ts`. Retained for two days. */
export interface ChannelKeyHourRecord {
  /** `<key>:<hour>`. */
  id: string;
  channel_id: number;
  key_id: number;
  /** Start of the hour, unix seconds. */
  hour: number;
  calls: number;
  /** Calls that failed because of the key or the channel. */
  failures: number;
  /** Tokens of prompts and completions of settled calls. */
  tokens: number;
}
