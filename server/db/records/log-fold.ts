/** Progress of folding the log (`head`), and folded hours that have changed since (the others). */
export interface LogFoldRecord {
  id: string;
  /** Head: the hours before this one are folded. */
  until?: number;
  /** Head: the days before this one are folded. */
  days_until?: number;
  /** Head: the hours and days before these have the dashboard's sums (`usage_sums`). */
  usage_until?: number;
  usage_days_until?: number;
  /** Head: the hours before this one have latencies (`latency_hours`), if they still had rows. */
  latency_until?: number;
  /** Head: the hours before this one have the costs that bills are compared with. Undefined: no account at a provider is compared yet. */
  costs_until?: number;
  /** Head: first hour with such costs. */
  costs_from?: number;
  /**
   * Head: the hours from this one on have quarters, and tokens by id. Undefined if an earlier version has folded them
   * all.
   */
  quarters_from?: number;
  /** Head: rows before this time may be deleted; the dashboard's sums of those hours are not computed again. */
  deleted_until?: number;
  /** Head: increases before folded hours are rewritten. */
  generation?: number;
  /** Head: where checking continues. */
  checked?: number;
  /** Head: rows before this time may be of an earlier version. */
  since?: number;
  /** A changed hour, and the time of its announcement, in milliseconds. */
  hour?: number;
  marked_at?: number;
}
