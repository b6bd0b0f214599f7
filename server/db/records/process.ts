/** A running server process; see `server/money/recovery/server-process.ts`. */
export interface ProcessRecord {
  id: string;
  host: string;
  pid: number;
  started_at: number;
  heartbeat_at: number;
  state: 'alive' | 'recovering' | 'settled';
  /** All rows of this process up to this number are applied to every account. */
  settled_seq: number;
  /** Who settles the books of a process that died. */
  settler?: { host: string; pid: number };
  /**
   * Once the books of a process were taken from it: up to which number its rows count, and which below were not there. Rows
   * beyond are charged to nobody.
   */
  closed_seq?: number;
  missing_seqs?: readonly number[];
}
