/** A running server process; see `server/money/recovery/server-process.ts`. */
export interface ProcessRecord {
  id: string;
  host: string;
  pid: number;
  started_at: number;
  heartbeat_at: number;
  /** Last heartbeat before the process was declared dead, milliseconds. */
  ended_at?: number;
  state: 'alive' | 'recovering' | 'settled';
  /** All rows of this process up to this number are applied to every account. */
  settled_seq: number;
  /** Process that settles the books of one that died. */
  settler?: { host: string; pid: number };
  /**
   * After the books of a process were closed by another: the last row number that counts, and missing numbers below it.
   * Later rows are not charged.
   */
  closed_seq?: number;
  missing_seqs?: readonly number[];
}
