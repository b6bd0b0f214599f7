/** Progress of deleting the log: one record, `head`. See `server/money/log-closing.ts`. */
export interface LogClosingRecord {
  id: string;
  /** Number of the last batch. */
  last: number;
  /** Batch in progress. */
  batch?: ClosingBatch;
  /** Rows before this time (unix seconds) are to be deleted, as requested by an administrator. */
  until?: number;
  /**
   * All deleted rows began before this time (unix seconds). Undefined if there are none, or an earlier version deleted
   * them.
   */
  removed_before?: number;
  /** No batch begins before this time (milliseconds), because the books are being verified. */
  held_until?: number;
}

export interface ClosingBatch {
  /** Rows being deleted, and the hours in which they began. */
  ids: readonly number[];
  hours: readonly number[];
  /** Amounts that they charged. */
  sums: readonly ClosingSum[];
}

export interface ClosingSum {
  account: 'user' | 'token';
  id: number;
  /** Quota charged to the balance, and quota used. */
  charge: number;
  used: number;
}
