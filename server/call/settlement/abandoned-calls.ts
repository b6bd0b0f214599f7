// Whole responses whose clients have disconnected: they are read to their end, so that they can be charged exactly, within bounds of
// number, bytes and time. What does not fit is ended at once and charged by an estimate.
import { createShares, type ShareLimits } from '#server/queues/shares.ts';

export interface AbandonedCalls {
  /** Lets the call run on; `abort` ends it when it takes too long or the server ends. Null: it must end now. */
  keep(userId: number, abort: () => void): AbandonedCall | null;
  readonly size: number;
  /** Ends all; later ones are not accepted. */
  shutDown(): void;
}

export interface AbandonedCall {
  /** The response has so many bytes now. False: there is no room for them, and the call has to be ended. */
  grow(bytes: number): boolean;
  /** Nothing of the response is in memory any more. */
  ended(): void;
}

export interface AbandonedCallLimits {
  /** Calls that run on, of all users and of one user. */
  calls: ShareLimits;
  /** Bytes of their responses, likewise. */
  bytes: ShareLimits;
  /** Milliseconds that one may take. */
  longestMs: number;
}

const usualLimits: AbandonedCallLimits = {
  calls: { all: 256, perOwner: 16 },
  bytes: { all: 64 * 1024 * 1024, perOwner: 16 * 1024 * 1024 },
  longestMs: 300_000,
};

export function createAbandonedCalls(limits: AbandonedCallLimits = usualLimits): AbandonedCalls {
  const aborts = new Set<() => void>();
  const calls = createShares<number>();
  const buffered = createShares<number>();
  let isEnding = false;

  return {
    keep(userId, abort) {
      if (isEnding || !calls.fits(userId, 1, limits.calls)) return null;
      const timer = setTimeout(abort, limits.longestMs);
      timer.unref();
      let mine = 0;
      const change = (bytes: number) => {
        mine += bytes;
        buffered.add(userId, bytes);
      };
      const end = () => abort();
      aborts.add(end);
      calls.add(userId, 1);
      return {
        grow(bytes) {
          const more = bytes - mine;
          if (!buffered.fits(userId, more, limits.bytes)) return false;
          change(more);
          return true;
        },
        ended() {
          clearTimeout(timer);
          if (!aborts.delete(end)) return;
          change(-mine);
          calls.add(userId, -1);
        },
      };
    },
    get size() {
      return aborts.size;
    },
    shutDown() {
      isEnding = true;
      for (const abort of aborts) abort();
    },
  };
}
