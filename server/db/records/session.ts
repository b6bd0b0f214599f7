export interface SessionRecord {
  /** Hash of the cookie's value. */
  id: string;
  user_id: number;
  created_at: number;
  seen_at: number;
  expires_at: number;
  ip: string;
  user_agent: string;
}
