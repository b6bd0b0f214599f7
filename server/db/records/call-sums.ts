/** What calls came to. */
export interface CallSums {
  calls: number;
  /** Calls that did not end well. */
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Milliseconds, of the calls that ended well. */
  first_byte_ms: number;
  duration_ms: number;
}
