/**
 * Latencies of the calls of one hour, or of a later quarter of it; `server/logs/fold-latency.ts` computes them from the
 * rows.
 */
export interface LatencyHourRecord {
  id: string;
  /** Group of calls: `latencyKey`, `quarterLatencyKey`. */
  key: string;
  /** Start of the hour or quarter, unix seconds. */
  start: number;
  /** Number of calls by the bucket of their duration and time to first byte (`server/logs/latency-histogram.ts`). */
  duration: number[];
  first_byte: number[];
}
