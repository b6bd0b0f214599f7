/** How long the calls of one hour, or of a later quarter of it, took; `server/logs/fold-latency.ts` makes them of the rows. */
export interface LatencyHourRecord {
  id: string;
  /** Whose calls: `latencyKey`, `quarterLatencyKey`. */
  key: string;
  /** When the hour or the quarter began, unix seconds. */
  start: number;
  /** Calls by the place of their duration and of their first byte on the scale of `server/logs/latency-histogram.ts`. */
  duration: number[];
  first_byte: number[];
}
