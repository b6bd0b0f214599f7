/** A vector store of a caller's, at the provider where its files lie. How it is paid is decision 96. */
export interface VectorStoreRecord {
  /** As its caller knows it: `vs_…`; the provider has it as the store's name. */
  id: string;
  user_id: number;
  username: string;
  /** Of the key that created it, which pays beside its user. */
  token_id: number;
  token_name: string;
  group: string;
  channel_id: number;
  /** Which key of the channel it lies behind, as a hash. */
  key: string;
  /** As the provider knows it; empty until it has answered. */
  upstream_id: string;
  /** Their caller's alone: no provider has them. Empty: none. */
  name: string;
  description: string;
  /** JSON text. */
  metadata: string;
  /** Days after its last use, as its caller wants; 0: it stays. */
  expires_days: number;
  /** Unix seconds. */
  created_at: number;
  /**
   * `creating`: the provider may have it. `leaving`: it is over since `left_at`; what is open is settled and the provider lets it go. `expired`: all
   * of that is done, and its caller is told so for a while.
   */
  state: 'creating' | 'stored' | 'leaving' | 'expired';
  left_at: number;
  /** Of one that leaves: its caller did not delete it. */
  has_expired: boolean;
  /** As the provider has told it last, at `seen_at`. */
  status: 'in_progress' | 'completed';
  usage_bytes: number;
  files_in_progress: number;
  files_completed: number;
  files_failed: number;
  files_cancelled: number;
  last_active_at: number;
  seen_at: number;
  /** What it may become by what was put into it, and when that was; the bytes of all files that ever were. */
  claimed_bytes: number;
  claimed_at: number;
  file_bytes: number;
  /** The day that is paid now: its number, its begin (unix seconds), and the most bytes that it had. */
  period: number;
  period_from: number;
  day_bytes: number;
  /** What that day is paid ahead for, in bytes and in quota; what of that has left the token, and what counts as used by it. */
  covered_bytes: number;
  reserved: number;
  token_reserved: number;
  token_used: number;
  /** By which that day is charged: USD for a GB and a day. */
  price: number;
  group_ratio: number;
  quota_per_unit: number;
  /** How many payments have begun; of the one that is under way what it is for (0: none is), and its part of the token (-1: that is gone). */
  payments: number;
  pending_amount: number;
  pending_token: number;
  pending_bytes: number;
  /** Where the day that ends now does (0: none does), what it costs, and the id of the row that tells it. */
  closing_until: number;
  closing_cost: number;
  log_id: number;
  /** Unix seconds since when nobody could pay; 0: it is paid. */
  unpaid_since: number;
  /** Of every change one more: each is made of what was read. */
  version: number;
  /** Milliseconds of the next look at it. */
  poll_at: number;
}
