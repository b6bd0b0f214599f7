/** A redemption code, which credits its quota to one account. */
export interface RedemptionRecord {
  id: number;
  /** Id of its creator. */
  user_id: number;
  name: string;
  /** Quota that it credits. */
  quota: number;
  /** Keyed hash of the code, for look-up; the code itself is encrypted. */
  key_hash: string;
  key_cipher: string;
  /** 1 unused, 2 disabled, 3 used. */
  status: number;
  created_time: number;
  /** Unix seconds; 0 for never. */
  expired_time: number;
  redeemed_time: number;
  used_user_id: number;
  /** Number of claims: a claim whose credit was refused for good frees it, and the next claim has another reference. */
  claims: number;
  /** Time of a claim that is not credited yet, milliseconds. */
  credit_due_at?: number;
  /**
   * Id of the log row about the credit, drawn with the claim, so that it is written once, however often the credit is
   * retried.
   */
  log_id?: number;
  /** RFC 3339 time of deletion. */
  DeletedAt: string | null;
  /** 1 while it is listed, undefined once deleted. */
  listed?: 1;
  revision: number;
  /** Mark of the last change in the audit log (`server/audit-log/`). Undefined in records of earlier versions. */
  audited?: string;
}
