/** A session of a client, as its calls say it: what they came to. See `server/money/settlement/session-sums.ts`. */
export interface CallSessionRecord {
  /** `sessionKey` of user, token and the client's own id: what others call by other keys is another session. */
  id: string;
  user_id: number;
  username: string;
  /** 0: of the console. */
  token_id: number;
  token_name: string;
  /** The client's own id. */
  session: string;
  /** The program that called last, as it names itself. Empty: unknown. */
  client: string;
  /** Names of models by a digest of each, up to a bound. */
  models: Record<string, string>;
  /** Per process the number of its last row that is in the sums. */
  applied: Record<string, number>;
  /** When the first call began, and the last one that is listed: unix seconds. */
  first_at: number;
  last_at: number;
  /** When the last call of any kind began. */
  seen_at: number;
  /** Only when a call of it is listed. */
  listed?: 1;
  /** Of calls that are listed. */
  calls: number;
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cache_tokens: number;
  /** Quota of calls that are not, because consumption logs were switched off. */
  hidden_quota: number;
  /** Quota that was given back of its calls. */
  refunded?: number;
}
