/** Sums of calls. */
export interface CallSums {
  calls: number;
  /** Calls that failed. */
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Milliseconds, of successful calls. */
  first_byte_ms: number;
  duration_ms: number;
}

/**
 * Sums of an hour, and of its later quarters that have any: in some time zones, days and hours begin within a UTC hour.
 */
export interface HourSums extends CallSums {
  quarters?: { second?: Partial<CallSums>; third?: Partial<CallSums>; fourth?: Partial<CallSums> };
}
