export interface SessionRecord {
  /** Hash of the cookie's value. */
  id: string;
  user_id: number;
  created_at: number;
  /** Milliseconds since 1970, for what may follow within a second. Sessions from before this field lack it. */
  created_ms?: number;
  seen_at: number;
  expires_at: number;
  ip: string;
  user_agent: string;
}
