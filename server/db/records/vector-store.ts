/** A caller's vector store, at the provider of its files. Decision 96 describes its payment. */
export interface VectorStoreRecord {
  /** Public id: `vs_…`; the store's name at the provider. */
  id: string;
  user_id: number;
  /** Member of an organisation whose key has stored it. Undefined for persons and service accounts. */
  member_id?: number;
  username: string;
  /** Key that created it, which pays together with its user. */
  token_id: number;
  token_name: string;
  group: string;
  channel_id: number;
  /** Hash of the channel's key that it belongs to. */
  key: string;
  /** Provider's id; empty until it has responded. */
  upstream_id: string;
  /** Stored here only, not at the provider. Empty if there are none. */
  name: string;
  description: string;
  /** JSON text. */
  metadata: string;
  /** Days after the last use, as set by the caller; 0 for no expiry. */
  expires_days: number;
  /** Unix seconds. */
  created_at: number;
  /**
   * `creating`: the provider may have it. `leaving`: ended at `left_at`; open payments are settled and the store
   * deleted at the provider. `expired`: all done; still listed for a while.
   */
  state: 'creating' | 'stored' | 'leaving' | 'expired';
  left_at: number;
  /** Ended without a deletion by its caller. */
  has_expired: boolean;
  /** As last reported by the provider, at `seen_at`. */
  status: 'in_progress' | 'completed';
  usage_bytes: number;
  files_in_progress: number;
  files_completed: number;
  files_failed: number;
  files_cancelled: number;
  last_active_at: number;
  seen_at: number;
  /** Upper bound of its size after additions, and the time of the last one; bytes of all files ever added. */
  claimed_bytes: number;
  claimed_at: number;
  file_bytes: number;
  /** Current billing day: number, start (unix seconds), and largest size. */
  period: number;
  period_from: number;
  day_bytes: number;
  /** Prepaid bytes and quota of that day; the token's part, and the part that counts as used by it. */
  covered_bytes: number;
  reserved: number;
  token_reserved: number;
  token_used: number;
  /** JSON of `BudgetPart`s: budget periods that the payments of that day were charged to; undefined or empty for none. */
  paid_by?: string;
  /** Price of that day: USD for a GB and a day. */
  price: number;
  group_ratio: number;
  quota_per_unit: number;
  /**
   * Number of payments begun; of the pending one: amount (0 for none), the token's part (-1 if it is deleted), and
   * bytes.
   */
  payments: number;
  pending_amount: number;
  pending_token: number;
  pending_bytes: number;
  /** Budget periods that the pending payment is charged to, and those of them that must not be exceeded, as in a log row; undefined for none. */
  pending_budgets?: string;
  pending_hard?: string;
  /** End of the day being closed (0 for none), its cost, and the id of its log row. */
  closing_until: number;
  closing_cost: number;
  log_id: number;
  /** Unix seconds since which it is unpaid; 0 if paid. */
  unpaid_since: number;
  /** Increases with every change, for optimistic locking. */
  version: number;
  /** Time of its next poll, milliseconds. */
  poll_at: number;
}
