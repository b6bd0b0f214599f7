/** How far the log is folded (`head`), and which folded hours have changed since (the others). */
export interface LogFoldRecord {
  id: string;
  /** Head: the hours before this one are folded. */
  until?: number;
  /** Head: the days before this one are. */
  days_until?: number;
  /** Head: the hours and days before these have the dashboard's sums (`usage_sums`). */
  usage_until?: number;
  usage_days_until?: number;
  /** Head: the hours before this one have their latencies (`latency_hours`), as far as they still had rows. */
  latency_until?: number;
  /** Head: the hours from this one on have their quarters, and tokens by their ids. Missing: an earlier version has folded them all. */
  quarters_from?: number;
  /** Head: rows before this moment may have been deleted; what the dashboard has of those hours is not made anew. */
  deleted_until?: number;
  /** Head: grows before folded hours are written anew. */
  generation?: number;
  /** Head: where checking goes on. */
  checked?: number;
  /** Head: rows before this moment may be of an earlier version. */
  since?: number;
  /** A changed hour, and when that was announced, in milliseconds. */
  hour?: number;
  marked_at?: number;
}
