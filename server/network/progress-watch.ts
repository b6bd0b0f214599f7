// Ends what stands still at the other side's will: a body that comes byte by byte, a response that nobody reads. One timer
// looks at all of them.

/** Something that passes over a connection. */
export interface Passage {
  /** Bytes that have passed so far, or null while it is not the other side that is waited for. */
  passed(): number | null;
  /** Too little has passed for too long; it is no longer watched. */
  stuck(): void;
  /** Kept by the watch: where it stands in its list, -1 when it does not, and what it had passed at which time. */
  watchPlace: number;
  watchedBytes: number;
  watchedAt: number;
}

export interface ProgressWatch {
  add(passage: Passage): void;
  remove(passage: Passage): void;
  stop(): void;
}

/** What must pass in the time allowed. Whoever sends or reads one byte a minute makes no progress. */
const leastBytes = 4096;

export function createProgressWatch(seconds: number): ProgressWatch {
  const timeoutMs = seconds * 1000;
  // Not a Set: see `pending-work.ts`.
  const passages: Passage[] = [];

  function remove(passage: Passage): void {
    const place = passage.watchPlace;
    if (place < 0) return;
    passage.watchPlace = -1;
    const last = passages.pop();
    if (last === undefined || last === passage) return;
    passages[place] = last;
    last.watchPlace = place;
  }

  function look(passage: Passage, now: number): void {
    const bytes = passage.passed();
    if (bytes === null || bytes - passage.watchedBytes >= leastBytes) {
      passage.watchedAt = now;
      if (bytes !== null) passage.watchedBytes = bytes;
    } else if (now - passage.watchedAt >= timeoutMs) {
      remove(passage);
      passage.stuck();
    }
  }

  const timer = setInterval(
    () => {
      const now = performance.now();
      // From the end: whoever is removed meanwhile is replaced by one that had its turn.
      for (let place = passages.length - 1; place >= 0; place -= 1) {
        const passage = passages[place];
        if (passage !== undefined) look(passage, now);
      }
    },
    Math.min(1000, timeoutMs / 4),
  );
  timer.unref();

  return {
    add(passage) {
      if (passage.watchPlace >= 0) return;
      passage.watchPlace = passages.length;
      passage.watchedAt = performance.now();
      passages.push(passage);
    },
    remove,
    stop: () => clearInterval(timer),
  };
}
