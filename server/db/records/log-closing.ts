/** How far the log has been deleted: one record, `head`. See `server/money/log-closing.ts`. */
export interface LogClosingRecord {
  id: string;
  /** The number of the last batch. */
  last: number;
  /** The batch that is under way. */
  batch?: ClosingBatch;
  /** Rows before this moment (unix seconds) are to go, as an administrator has said. */
  until?: number;
  /** Every row that was removed began before this moment (unix seconds). Missing: none was, or an earlier version removed them. */
  removed_before?: number;
  /** No batch begins before this moment (milliseconds): the books are being proved. */
  held_until?: number;
}

export interface ClosingBatch {
  /** Rows that are being removed, and the hours in which they began. */
  ids: readonly number[];
  hours: readonly number[];
  /** What they took. */
  sums: readonly ClosingSum[];
}

export interface ClosingSum {
  account: 'user' | 'token';
  id: number;
  /** Quota that left the balance, and quota that was used. */
  charge: number;
  used: number;
}
