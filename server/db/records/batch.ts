/** Requests that a provider works on within a day, at half its price. Where its money stands is decision 89. */
export interface BatchRecord {
  /** As its caller knows it: `batch_…`. */
  id: string;
  /** Whose form it came in. */
  form: 'openai' | 'claude' | 'gemini';
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  group: string;
  /** Of the call that created it; the row of its charge has the same. */
  request_id: string;
  channel_id: number;
  /** Which key of the channel it lies behind, as a hash. */
  key: string;
  /** Of all of its requests, as their caller calls it, and as the provider does. */
  model: string;
  upstream_model: string;
  /** The path of its requests: `/v1/chat/completions`. */
  endpoint: string;
  /** A file of the caller's; empty: it came with its requests. */
  input_file: string;
  completion_window: string;
  /** That its results are kept, at the most. */
  output_seconds: number;
  /** JSON texts; empty: none. */
  metadata: string;
  errors: string;
  /** Unix seconds; 0: not yet. */
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
   * `checking`: its requests are read. `creating`: its charge is on its way or there, and the provider may have it. `running`: the provider
   * has it. `settling`: it is over and its cost is known. `ended`: what it did not cost is back.
   */
  state: 'checking' | 'creating' | 'running' | 'settling' | 'ended';
  /** As the provider tells it. */
  status: string;
  /** The file that the provider was given, or what names of requests begin with there, by which nobody else's are taken for them. */
  upstream_input: string;
  /** What the provider calls the batch and its files; empty: not yet, or none. */
  upstream_id: string;
  upstream_output: string;
  upstream_error: string;
  /** What those files are called here. */
  output_file: string;
  error_file: string;
  requests: number;
  completed: number;
  failed: number;
  cancelled: number;
  expired: number;
  /** Of its results. */
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  /** Of its files. */
  output_bytes: number;
  error_bytes: number;
  /** JSON text of the price that it is charged by, as it was when it was created. */
  quoted: string;
  /** What was taken for all of it, and how much of that from the token. */
  reserved: number;
  token_reserved: number;
  /** `open`: that charge is being settled. `none`: nothing is or will be charged. */
  charge: 'open' | 'done' | 'none';
  /** Identity of the process that settles the charge. */
  process: string;
  /** What it costs in the end. */
  cost: number;
  /** JSON text of what that consists of; missing or empty: nobody knows. */
  lines?: string;
  /** Id of the log row that tells of its end; 0: not drawn yet. */
  log_id: number;
  /** The owner, until it has ended. */
  open_user_id?: number;
  /** Milliseconds of the next look at it; when it has ended, of its own end. */
  poll_at: number;
  /** Unix seconds; when the provider was asked to create it, or had not answered that. */
  asked_at?: number;
  /** Unix seconds; only when it has. */
  ended_at?: number;
}
