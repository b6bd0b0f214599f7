export interface SessionRecord {
  /** Hash of the cookie's value. */
  id: string;
  user_id: number;
  created_at: number;
  /** Milliseconds since 1970, for events within the same second. Undefined in old sessions. */
  created_ms?: number;
  seen_at: number;
  expires_at: number;
  ip: string;
  user_agent: string;
}
