/** A setting as both sides of a conflict know it. */
export interface OptionState {
  value: string;
  revision: number;
  /** Who made it so, and when (unix seconds), as far as the server knows. */
  changedBy?: string;
  changedAt?: number;
}

/**
 * An edit of one setting that waits to be sent. `base` is what the editor saw when the edit began, `mine` what it is to
 * become, `theirs` what the server has instead since someone else changed it.
 */
export interface OutboxEntry {
  /** Order of sending; given by the database. */
  id?: number;
  userId: number;
  optionKey: string;
  base: OptionState;
  mine: string;
  /** Unix seconds when it was made. */
  editedAt: number;
  state: 'waiting' | 'conflict' | 'refused';
  /** Its call is under way; the entry may be edited meanwhile. */
  isSending?: boolean;
  theirs?: OptionState;
  /** Why the server refused it: text for people. */
  refusal?: string;
}
