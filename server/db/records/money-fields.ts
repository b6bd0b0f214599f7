/**
 * Fields of an account that only `server/money/ledger.ts` writes. The balance is `quota` (of a token `remain_quota`)
 * plus all leases.
 */
export interface MoneyFields {
  /** Process id → quota that this process may spend without a database write. */
  leases: Record<string, number>;
  /** Process id → number of its last log row that is charged here. */
  applied: Record<string, number>;
  /**
   * Process id → fencing token of its lease. Every write that changes the lease requires the token that it was created
   * with, so an abandoned write has no effect once there is a new token. Undefined until the first lease.
   */
  fencing_tokens?: Record<string, number>;
  /** Ledger entries applied to this record (`e<id>`), retained for a while so that none is applied twice. */
  marks: Record<string, number>;
  /** Balance right after the last credit: the full mark of the balance meter. */
  full_mark: number;
}
