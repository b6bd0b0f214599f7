/**
 * Current or next minute of a realtime session; see `server/call/realtime/lost-minutes.ts`. Its process charges it when it
 * ends; if that process died, another one does.
 */
export interface SessionMinuteRecord {
  /** Request id, also of its log row. */
  id: string;
  user_id: number;
  /** Key of the session; 0 for none. */
  token_id: number;
  /** Whether the key has a limited balance, which is charged too. */
  is_token_limited: boolean;
  /** Budget periods that it is charged to, as in a log row. Undefined in records of earlier versions. */
  budgets?: string;
  /** Expected start at the time of the reservation, milliseconds. */
  starts_at: number;
  /** Reserved seconds. */
  seconds: number;
  /** JSON of the log row if all reserved seconds are used. */
  row: string;
  /** Identity of the process that charges it. */
  process: string;
  /** Used seconds, set once its process was found dead. */
  used?: number;
  /** Time of its next check by the recovery, milliseconds. */
  check_at: number;
}
