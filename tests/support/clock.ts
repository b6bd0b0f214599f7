/** A clock that tests move by hand and that otherwise runs on from a fixed day. */
export interface TestClock {
  now(): number;
  advance(milliseconds: number): void;
}

const start = Date.UTC(2026, 0, 15, 8, 0, 0);

/** Time passes as it does (jobs and heartbeats need that), from the fixed day on, plus what was advanced. */
export function createClock(): TestClock {
  const base = performance.now();
  let advanced = 0;
  return {
    now: () => start + Math.floor(performance.now() - base) + advanced,
    advance(milliseconds) {
      advanced += milliseconds;
    },
  };
}
