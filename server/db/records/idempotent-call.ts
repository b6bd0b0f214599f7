/** Call with an `Idempotency-Key`, and its response. */
export interface IdempotentCallRecord {
  /** Hash of the token and the key. */
  id: string;
  user_id: number;
  /** Hash of the request's path and body. */
  request: string;
  /** `running`: reserved for, and perhaps charged. `stored`: the response is here. `answered`: it was not stored. */
  state: 'running' | 'stored' | 'answered';
  request_id: string;
  /** Process that settles the call. */
  process: string;
  content_type: string;
  /** Sealed base64 of the response; empty if it is not stored. */
  response: string;
  /** Unix seconds. */
  expires_at: number;
}
