import type { PrepaidWork } from './prepaid-work.ts';

/** Requests that a provider processes within a day, at half its price. Decision 89 describes its money. */
export interface BatchRecord extends PrepaidWork {
  /** Public id: `batch_…`. */
  id: string;
  /** Format of its creation. */
  form: 'openai' | 'claude' | 'gemini';
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
  expires_at: number;
  in_progress_at: number;
  finalizing_at: number;
  completed_at: number;
  failed_at: number;
  expired_at: number;
  cancelling_at: number;
  cancelled_at: number;
  /** Provider's input file, or prefix of its custom ids, by which it is recognized. */
  upstream_input: string;
  /** Provider's ids of its result files; empty if there are none yet. */
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
  /** What rate limits have counted when it was created (`rate-limits/settle-later.ts`), JSON text; undefined or empty if nothing is to be settled. */
  counted?: string;
  /** Tokens that rate limits count: those of its results, where these have no usage by the estimate. */
  used_tokens?: number;
  /** Bytes of its result files. */
  output_bytes: number;
  error_bytes: number;
  /** JSON text of the cost's components; undefined or empty if unknown. */
  lines?: string;
  /** Unix seconds; undefined before its end. */
  ended_at?: number;
}
