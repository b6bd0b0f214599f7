// Conversations that had to leave their own channel, for as long as the one that they went to has their prompts in its cache.
import type { Affinity } from './affinity.ts';

export interface MovedCalls {
  /** The channel that it went to; undefined: it is where it belongs, or may go back. */
  channelOf(affinity: Affinity): number | undefined;
  /** A call of it goes to another channel than its own. */
  moved(affinity: Affinity, channelId: number): void;
  back(affinity: Affinity): void;
}

/** Shortest lifetime of a cached prompt since its last read, in milliseconds. */
const cacheLifetime = 5 * 60_000;
/** A conversation that never pauses goes back after this: another priority means another price. */
const longestStay = 60 * 60_000;
const mostStored = 20_000;

interface Stay {
  channelId: number;
  since: number;
  usedAt: number;
}

export function createMovedCalls(now: () => number): MovedCalls {
  /** The one that was used longest ago comes first. */
  const stays = new Map<number, Stay>();
  const keyOf = ({ high, low }: Affinity) => (high & 0x1f_ffff) * 2 ** 32 + low;

  return {
    channelOf(affinity) {
      if (stays.size === 0) return undefined;
      const key = keyOf(affinity);
      const stay = stays.get(key);
      if (stay === undefined) return undefined;
      const time = now();
      if (time - stay.usedAt <= cacheLifetime && time - stay.since <= longestStay) return stay.channelId;
      stays.delete(key);
      return undefined;
    },
    moved(affinity, channelId) {
      const key = keyOf(affinity);
      const time = now();
      const before = stays.get(key);
      stays.delete(key);
      stays.set(key, { channelId, since: before?.channelId === channelId ? before.since : time, usedAt: time });
      if (stays.size <= mostStored) return;
      for (const oldest of stays.keys()) {
        stays.delete(oldest);
        break;
      }
    },
    back(affinity) {
      if (stays.size > 0) stays.delete(keyOf(affinity));
    },
  };
}
