// Continues calls whose clients have disconnected from a complete response: it is read to its end, for an exact charge, within
// limits of number, bytes and time. Calls beyond the limits are ended at once and charged by an estimate.
import { createShares, type ShareLimits } from '#server/queues/shares.ts';

export interface AbandonedCalls {
  /** Continues the call; `abort` is called when it takes too long or the server shuts down. Returns null if it must end now. */
  admit(userId: number, abort: () => void): AbandonedCall | null;
  readonly size: number;
  /** Ends all calls; later ones are not accepted. */
  shutDown(): void;
}

export interface AbandonedCall {
  /** Sets the bytes of the response. Returns false if they exceed the limits and the call must be ended. */
  grow(bytes: number): boolean;
  /** Called when the response is no longer in memory. */
  ended(): void;
}

export interface AbandonedCallLimits {
  /** Maximum calls of all users and of one user. */
  calls: ShareLimits;
  /** Maximum bytes of their responses. */
  bytes: ShareLimits;
  /** Maximum milliseconds of a call after the disconnect. */
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
    admit(userId, abort) {
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
