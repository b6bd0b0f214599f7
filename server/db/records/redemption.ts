export interface RedemptionRecord {
  id: number;
  /** Who made it. */
  user_id: number;
  name: string;
  /** What it is worth. */
  quota: number;
  /** Keyed hash of the code, for look-up; the code itself is encrypted. */
  key_hash: string;
  key_cipher: string;
  /** 1 unused, 2 disabled, 3 used. */
  status: number;
  created_time: number;
  /** Unix seconds, 0: never. */
  expired_time: number;
  redeemed_time: number;
  used_user_id: number;
  /** How often somebody has claimed it: a claim whose credit was refused for good gives it back, and the next has a name of its own. */
  claims: number;
  /** Milliseconds of a claim that is not credited yet. */
  credit_due_at?: number;
  /** Id of the log row that tells of the credit, drawn when it is claimed: it is written once, however often the credit is tried. */
  log_id?: number;
  /** RFC 3339 time of deletion. */
  DeletedAt: string | null;
  /** 1 while it is listed, absent when it is deleted. */
  listed?: 1;
  revision: number;
}
