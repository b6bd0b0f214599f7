/** What calls came to. */
export interface CallSums {
  calls: number;
  /** Calls that did not end well. */
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Milliseconds, of the calls that ended well. */
  first_byte_ms: number;
  duration_ms: number;
}

/** Sums of an hour, and of its quarters behind the first one that have any: in some zones days and hours begin within an hour of UTC. */
export interface HourSums extends CallSums {
  quarters?: { second?: Partial<CallSums>; third?: Partial<CallSums>; fourth?: Partial<CallSums> };
}
