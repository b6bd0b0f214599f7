// Whole answers whose callers have left: they are read to their end, so that they can be charged exactly, within bounds of
// number, bytes and time. What does not fit is ended at once and charged by an estimate.

export interface LeftCalls {
  /** Keeps the call going; `abort` ends it when it takes too long or the server ends. Null: it has to be ended now. */
  keep(userId: number, abort: () => void): { ended(): void } | null;
  readonly size: number;
  /** Ends all; from now on none is kept. */
  shutDown(): void;
}

/** Bytes of an answer that nobody waits for. */
export const largestLeftAnswer = 16 * 1024 * 1024;
const mostLeft = 256;
const mostLeftOfUser = 16;
const longestMs = 300_000;

export function createLeftCalls(): LeftCalls {
  const kept = new Set<{ userId: number; end: () => void }>();
  const counts = new Map<number, number>();
  let isEnding = false;

  return {
    keep(userId, abort) {
      const count = counts.get(userId) ?? 0;
      if (isEnding || kept.size >= mostLeft || count >= mostLeftOfUser) return null;
      const timer = setTimeout(abort, longestMs);
      timer.unref();
      const call = { userId, end: abort };
      kept.add(call);
      counts.set(userId, count + 1);
      return {
        ended() {
          clearTimeout(timer);
          if (!kept.delete(call)) return;
          const left = (counts.get(userId) ?? 1) - 1;
          if (left === 0) counts.delete(userId);
          else counts.set(userId, left);
        },
      };
    },
    get size() {
      return kept.size;
    },
    shutDown() {
      isEnding = true;
      for (const { end } of kept) end();
    },
  };
}
