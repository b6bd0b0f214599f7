/** The beginning of prompts that a caller keeps at its provider. How it is paid is decision 148. */
export interface ContextCacheRecord {
  /** As its caller knows it, behind `cachedContents/`; the provider has it as the cache's display name. */
  id: string;
  user_id: number;
  username: string;
  /** Of the key that created the cache and paid for its first time. */
  token_id: number;
  token_name: string;
  group: string;
  channel_id: number;
  /** Which key of the channel it lies behind, as a hash. */
  key: string;
  /** As the provider knows it; empty until it has answered. */
  upstream_id: string;
  /** As its caller calls it, and as the provider does. */
  model: string;
  upstream_model: string;
  display_name: string;
  tokens: number;
  /** Unix seconds. */
  created_at: number;
  updated_at: number;
  expires_at: number;
  /**
   * `creating`: the provider may have it. `paying`: it has, and the charge is on its way. `stored`: it is paid for until it expires. `leaving`: it is
   * over since `left_at`; what it did not use goes back and the provider lets it go.
   */
  state: 'creating' | 'paying' | 'stored' | 'leaving';
  left_at: number;
  /** What storing was charged ahead, and how much of that to the token; in quota. */
  paid: number;
  token_paid: number;
  /** Price of storing at creation: USD for a million tokens and an hour. */
  price: number;
  group_ratio: number;
  quota_per_unit: number;
  /** JSON of the `PaidSpan`s that are paid for; missing: the whole time at the price of creation. */
  spans?: string;
  /** The spans that are paid for once the pending charge is known; empty: no charge is pending. */
  pending_spans?: string;
  /** JSON of the `CachePayer`s, one for each stretch of time that one key paid for; missing: the creating key paid for all of it. */
  payers?: string;
  /** Key that pays the pending charge; missing: the creating key. */
  pending_token_id?: number;
  pending_token_name?: string;
  /** Request id of the creation; `request_id` is that of the latest charge. */
  first_request_id?: string;
  /** Id of the log row that reports the end and the refund, drawn once; and JSON of the ids of further payers' rows. */
  log_id?: number;
  more_log_ids?: string;
  /** Of the charge that is on its way: the row of the log has the same, what of it is for storing, and until when that pays; 0: none is. */
  request_id: string;
  pending_paid: number;
  pending_until: number;
  /** Identity of the process that creates or extends it. */
  process: string;
  /** Milliseconds of the next look at it. */
  poll_at: number;
}
