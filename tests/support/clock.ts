/** A clock that tests move by hand and that otherwise runs on from a fixed day. */
export interface TestClock {
  now(): number;
  advance(milliseconds: number): void;
  /** From here on only `advance` moves the clock: for amounts that depend on every second. */
  freeze(): void;
}

const start = Date.UTC(2026, 0, 15, 8, 0, 0);

/** Time passes as it does (jobs and heartbeats need that), from the fixed day on, plus what was advanced. */
export function createClock(): TestClock {
  const base = performance.now();
  let advanced = 0;
  let frozen: number | undefined;
  return {
    now: () => start + (frozen ?? Math.floor(performance.now() - base)) + advanced,
    advance(milliseconds) {
      advanced += milliseconds;
    },
    freeze() {
      frozen ??= Math.floor(performance.now() - base);
    },
  };
}
