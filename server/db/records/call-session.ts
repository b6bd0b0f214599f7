/** Sums of a client session's calls. See `server/money/settlement/session-sums.ts`. */
export interface CallSessionRecord {
  /** `sessionKey` of user, token and the client's session id: the same id under another key is another session. */
  id: string;
  user_id: number;
  username: string;
  /** 0 for the console. */
  token_id: number;
  token_name: string;
  /** Session id of the client. */
  session: string;
  /** Name of the program that called last; empty if unknown. */
  client: string;
  /** Model names by digest, up to a limit. */
  models: Record<string, string>;
  /** Process id → number of its last row in the sums. */
  applied: Record<string, number>;
  /** Start of the first and the last listed call, unix seconds. */
  first_at: number;
  last_at: number;
  /** Start of the last call of any kind. */
  seen_at: number;
  /** Set once a call of it is listed. */
  listed?: 1;
  /** Sums of listed calls. */
  calls: number;
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cache_tokens: number;
  /** Quota of unlisted calls, made while consumption logs were disabled. */
  hidden_quota: number;
  /** Refunded quota of its calls. */
  refunded?: number;
}
