// Whole responses whose callers have left: they are read to their end, so that they can be charged exactly, within bounds of
// number, bytes and time. What does not fit is ended at once and charged by an estimate.

export interface LeftCalls {
  /** Keeps the call going; `abort` ends it when it takes too long or the server ends. Null: it has to be ended now. */
  keep(userId: number, abort: () => void): KeptCall | null;
  readonly size: number;
  /** Ends all; from now on none is kept. */
  shutDown(): void;
}

export interface KeptCall {
  /** The response has so many bytes now. False: there is no room for them, and the call has to be ended. */
  hold(bytes: number): boolean;
  /** Nothing of the response is held any more. */
  ended(): void;
}

export interface LeftLimits {
  /** Calls that are kept, of everybody and of one user. */
  calls: number;
  callsOfUser: number;
  /** Bytes of their responses, likewise. */
  bytes: number;
  bytesOfUser: number;
  /** Milliseconds that one may take. */
  longestMs: number;
}

const usualLimits: LeftLimits = {
  calls: 256,
  callsOfUser: 16,
  bytes: 64 * 1024 * 1024,
  bytesOfUser: 16 * 1024 * 1024,
  longestMs: 300_000,
};

/** What the calls of one user take. */
interface Share {
  calls: number;
  bytes: number;
}

export function createLeftCalls(limits: LeftLimits = usualLimits): LeftCalls {
  const aborts = new Set<() => void>();
  const shares = new Map<number, Share>();
  let held = 0;
  let isEnding = false;

  return {
    keep(userId, abort) {
      const share = shares.get(userId) ?? { calls: 0, bytes: 0 };
      if (isEnding || aborts.size >= limits.calls || share.calls >= limits.callsOfUser) return null;
      const timer = setTimeout(abort, limits.longestMs);
      timer.unref();
      let mine = 0;
      const change = (bytes: number) => {
        mine += bytes;
        share.bytes += bytes;
        held += bytes;
      };
      const end = () => abort();
      aborts.add(end);
      share.calls += 1;
      shares.set(userId, share);
      return {
        hold(bytes) {
          const more = bytes - mine;
          if (held + more > limits.bytes || share.bytes + more > limits.bytesOfUser) return false;
          change(more);
          return true;
        },
        ended() {
          clearTimeout(timer);
          if (!aborts.delete(end)) return;
          change(-mine);
          share.calls -= 1;
          if (share.calls === 0) shares.delete(userId);
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
