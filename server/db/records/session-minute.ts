/**
 * A minute of a realtime session that is under way, or is about to begin; see `server/call/realtime/lost-minutes.ts`. It is charged when it ends,
 * by its process; if that died, by another one.
 */
export interface SessionMinuteRecord {
  /** Request id, also of its log row. */
  id: string;
  user_id: number;
  /** Its key; 0 for none. */
  token_id: number;
  /** The key has an amount of its own, which pays too. */
  is_token_limited: boolean;
  /** Milliseconds at which it begins, as far as that was known when it was reserved. */
  starts_at: number;
  /** Seconds that are reserved. */
  seconds: number;
  /** JSON of the log row that all of it would have. */
  row: string;
  /** Identity of the process that charges it. */
  process: string;
  /** Seconds that were used, once its process was found dead. */
  used?: number;
  /** Milliseconds of the next look at it. */
  check_at: number;
}
