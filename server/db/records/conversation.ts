/** A list of items that responses continue and extend. */
export interface ConversationRecord {
  /** `conv_…` */
  id: string;
  user_id: number;
  /** Member of an organisation whose key has stored it. Undefined for persons and service accounts. */
  member_id?: number;
  /** Unix seconds. */
  created_at: number;
  /** Extended by each use. */
  expires_at: number;
  /** Sealed JSON. */
  metadata: string;
  /** End of valid positions: later items belong to an interrupted addition. */
  end: number;
  bytes: number;
  /**
   * Number of objects, arrays, texts and names in the items since the last summary, or less. Undefined in old records.
   */
  parts?: number;
  /** Holder of the lock, and Unix milliseconds of its expiry. */
  locked_by?: string;
  locked_until?: number;
}
