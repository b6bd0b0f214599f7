import type { ClosedUsageRecord } from './closed-usage.ts';

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
  /** Number of the last batch whose charges are in `closed_usage`: `last`, unless an earlier version deleted rows since. */
  summed?: number;
  /** All deleted rows that are not in `closed_usage` began before this time (unix seconds). Undefined if there are none. */
  summed_from?: number;
  /** No batch begins before this time (milliseconds), because the books are being verified. */
  held_until?: number;
}

export interface ClosingBatch {
  /** Rows being deleted, and the hours in which they began. */
  ids: readonly number[];
  hours: readonly number[];
  /** Amounts that they charged. */
  sums: readonly ClosingSum[];
  /** The same by period and dimension, with those of all users. Undefined in a batch of an earlier version. */
  usage?: readonly ClosingUsage[];
}

export type ClosingUsage = Omit<ClosedUsageRecord, 'batch'>;

export interface ClosingSum {
  account: 'user' | 'token' | 'budget';
  id: number;
  /** Quota charged to the balance, and quota used. */
  charge: number;
  used: number;
}
