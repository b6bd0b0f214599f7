/** Requests that a provider processes within a day, at half its price. Decision 89 describes its money. */
export interface BatchRecord {
  /** Public id: `batch_…`. */
  id: string;
  /** Format of its creation. */
  form: 'openai' | 'claude' | 'gemini';
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  group: string;
  /** Request id of the creation, also of the charge's log row. */
  request_id: string;
  channel_id: number;
  /** Hash of the channel's key that it belongs to. */
  key: string;
  /** Model of all requests: the caller's and the provider's name. */
  model: string;
  upstream_model: string;
  /** Path of its requests: `/v1/chat/completions`. */
  endpoint: string;
  /** Input file of the caller; empty for inline requests. */
  input_file: string;
  completion_window: string;
  /** Maximum lifetime of its results. */
  output_seconds: number;
  /** JSON texts; empty if there are none. */
  metadata: string;
  errors: string;
  /** Unix seconds; 0 if not reached yet. */
  created_at: number;
  expires_at: number;
  in_progress_at: number;
  finalizing_at: number;
  completed_at: number;
  failed_at: number;
  expired_at: number;
  cancelling_at: number;
  cancelled_at: number;
  /**
   * `checking`: requests are validated. `creating`: charged or being charged, and the provider may have it. `running`:
   * the provider has it. `settling`: it has ended and its cost is known. `ended`: the rest is refunded.
   */
  state: 'checking' | 'creating' | 'running' | 'settling' | 'ended';
  /** Status reported by the provider. */
  status: string;
  /** Provider's input file, or prefix of its custom ids, by which it is recognized. */
  upstream_input: string;
  /** Provider's ids of the batch and its files; empty if there are none yet. */
  upstream_id: string;
  upstream_output: string;
  upstream_error: string;
  /** Our ids of these files. */
  output_file: string;
  error_file: string;
  requests: number;
  completed: number;
  failed: number;
  cancelled: number;
  expired: number;
  /** Tokens of its results. */
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  /** Bytes of its result files. */
  output_bytes: number;
  error_bytes: number;
  /** JSON text of the price at its creation. */
  quoted: string;
  /** Prepayment, and the token's part of it. */
  reserved: number;
  token_reserved: number;
  /** `open`: the charge is being settled. `none`: nothing is or will be charged. */
  charge: 'open' | 'done' | 'none';
  /** Identity of the process that settles the charge. */
  process: string;
  /** Final cost. */
  cost: number;
  /** JSON text of the cost's components; undefined or empty if unknown. */
  lines?: string;
  /** Id of the log row about its end; 0 if not drawn yet. */
  log_id: number;
  /** The owner, until it has ended. */
  open_user_id?: number;
  /** Milliseconds of the next poll; after the end, of its removal. */
  poll_at: number;
  /** Unix seconds of the creation request, or of its timeout. */
  asked_at?: number;
  /** Unix seconds; undefined before its end. */
  ended_at?: number;
}
