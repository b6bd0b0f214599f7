export interface ConversationItemRecord {
  /** The conversation and the item's id. */
  id: string;
  conversation_id: string;
  /** Its order; there are gaps where items were deleted. */
  position: number;
  bytes: number;
  /** Objects, arrays, texts and names in it. Missing: it is an older one. */
  parts?: number;
  /** It stands for everything before it. */
  is_summary?: boolean;
  /** Sealed JSON; what has no place here is in pieces. */
  content: string;
  pieces?: number;
}
