/** Lock shared by all processes: of a periodic job (`job:<name>`), or of edits (`server/accounts/edit-lock.ts`). */
export interface JobRecord {
  id: string;
  /** Random name of the holder. */
  owner: string;
  /** Milliseconds since the epoch. */
  expires_at: number;
  /** Start of the last run, milliseconds since the epoch. */
  last_run_at: number;
}
