export interface ConversationItemRecord {
  /** The conversation and the item's id. */
  id: string;
  conversation_id: string;
  /** Its order; there are gaps where items were deleted. */
  position: number;
  bytes: number;
  /** Sealed JSON; what has no place here is in pieces. */
  content: string;
  pieces?: number;
}
