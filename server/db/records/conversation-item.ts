export interface ConversationItemRecord {
  /** Conversation id and item id. */
  id: string;
  conversation_id: string;
  /** Position in the conversation; deleted items leave gaps. */
  position: number;
  bytes: number;
  /** Number of objects, arrays, texts and names in it. Undefined in old records. */
  parts?: number;
  /** Whether it is a summary, which replaces all items before it. */
  is_summary?: boolean;
  /** Sealed JSON; longer items continue in pieces. */
  content: string;
  pieces?: number;
}
