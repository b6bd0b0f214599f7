/**
 * What `server/money/ledger.ts` keeps in the record of an account. Its balance is `quota` (of a token `remain_quota`) plus all
 * leases. Nothing else writes these.
 */
export interface MoneyFields {
  /** Process id → quota that this process may spend without asking. */
  leases: Record<string, number>;
  /** Process id → the number of its last log row that is charged here. */
  applied: Record<string, number>;
  /**
   * Process id → the fencing token of its lease. Every write that opens, grows, shrinks or closes the lease does so only while the
   * token is the one that it was sent with, so a write that was given up does nothing once there is a new one. Absent until the first lease.
   */
  fencing_tokens?: Record<string, number>;
  /** Ledger entries that have been applied to this record (`e<id>`), kept for a while so that none is applied twice. */
  marks: Record<string, number>;
  /** Balance right after the last credit: the full mark of the balance meter. */
  full_mark: number;
}
