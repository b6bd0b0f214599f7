/** A prompt prefix that a caller caches at a provider. Decision 148 describes its payment. */
export interface ContextCacheRecord {
  /** Public id, after `cachedContents/`; the cache's display name at the provider. */
  id: string;
  user_id: number;
  /** Member of an organisation whose key has stored it. Undefined for persons and service accounts. */
  member_id?: number;
  username: string;
  /** Key that created the cache and paid for its first time. */
  token_id: number;
  token_name: string;
  group: string;
  channel_id: number;
  /** Hash of the channel's key that it belongs to. */
  key: string;
  /** Provider's id; empty until it has responded. */
  upstream_id: string;
  /** The caller's and the provider's name of the model. */
  model: string;
  upstream_model: string;
  display_name: string;
  tokens: number;
  /** Unix seconds. */
  created_at: number;
  updated_at: number;
  expires_at: number;
  /**
   * `creating`: the provider may have it. `paying`: it has, and the charge is pending. `stored`: paid until it expires.
   * `leaving`: ended at `left_at`; the rest is refunded and the cache deleted at the provider.
   */
  state: 'creating' | 'paying' | 'stored' | 'leaving';
  left_at: number;
  /** Quota charged in advance for storage, and the token's part of it. */
  paid: number;
  token_paid: number;
  /** Price of storage at creation: USD for a million tokens and an hour. */
  price: number;
  group_ratio: number;
  quota_per_unit: number;
  /** JSON of the paid `PaidSpan`s; if undefined, the whole time at the price of creation. */
  spans?: string;
  /** Spans paid once the pending charge is settled; empty if none is pending. */
  pending_spans?: string;
  /** JSON of the `CachePayer`s, one per period that one key paid for; if undefined, the creating key paid for all. */
  payers?: string;
  /** JSON of `BudgetPart`s: budget periods that the payments were charged to, in their order; undefined for none. */
  paid_by?: string;
  /** Key that pays the pending charge; if undefined, the creating key. */
  pending_token_id?: number;
  pending_token_name?: string;
  /** Request id of the creation; `request_id` is that of the latest charge. */
  first_request_id?: string;
  /** Id of the log row about the end and the refund, drawn once; and JSON of the ids of further payers' rows. */
  log_id?: number;
  more_log_ids?: string;
  /**
   * Pending charge: request id, also of its log row; its part for storage; and the end of the time that it pays for; 0
   * if none is pending.
   */
  request_id: string;
  pending_paid: number;
  pending_until: number;
  /** Identity of the process that creates or extends it. */
  process: string;
  /** Time of its next poll, milliseconds. */
  poll_at: number;
}
