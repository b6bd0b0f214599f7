/** A list of items that responses go on from and are added to. */
export interface ConversationRecord {
  /** `conv_…` */
  id: string;
  user_id: number;
  /** Unix seconds. */
  created_at: number;
  /** Moves with each use. */
  expires_at: number;
  /** Sealed JSON. */
  metadata: string;
  /** Positions of items from here on are of nobody: an addition has broken off. */
  end: number;
  bytes: number;
  /** Objects, arrays, texts and names in the items since the last summary, or fewer. Missing: it is an older one. */
  parts?: number;
  /** The call or edit that has it now, and Unix milliseconds until which that has said so. */
  locked_by?: string;
  locked_until?: number;
}
