/**
 * What `server/money/ledger.ts` keeps in the record of whoever has a balance. The balance is `quota` (or `remain_quota`)
 * plus all leases. `applied` is the sequence number of each process' last settled log row. Nothing else writes these.
 */
export interface MoneyFields {
  /** Process id → quota that this process may spend without asking. */
  leases: Record<string, number>;
  applied: Record<string, number>;
  /**
   * Process id → the newest term of its lease. Every write that changes the lease names the term that it was sent in, so one
   * that failed without a known outcome cannot be carried out once its process has begun another. Absent until the first lease.
   */
  terms?: Record<string, number>;
  /** Ledger entries that have been applied to this record (`e<id>`), kept for a while so that none is applied twice. */
  marks: Record<string, number>;
  /** Balance right after the last credit: the full mark of the level. */
  full_mark: number;
}
