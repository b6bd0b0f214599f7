// Distinguishes rate limits of keys from requests that no key takes, such as one beyond the tokens per minute of every key. A provider refuses both with 429, and
// the second kind costs nothing: without this, a single caller could make all keys of a channel cool down for everybody.

export interface LimitedCallers {
  /** Notes a call that the channel has served. */
  served(channelId: number, caller: number): void;
  /**
   * Notes a rate limit of a key. Returns whether the request may be the cause: other callers use the channel, and this caller has met the limit of another
   * key as well. The first key counts, so that a real limit is obeyed at once.
   */
  limited(channelId: number, met: { keyId: number; caller: number }): boolean;
}

interface ChannelUse {
  /** Time of the last call of the two latest callers, the latest last. */
  callers: Map<number, number>;
  /** Caller → key whose limit it has met first, and when last. */
  limits: Map<number, { keyId: number; at: number }>;
}

/** As long as the longest cool-down of a key. */
const rememberedMs = 600_000;
/** Maximum callers of a channel that are remembered; the oldest is removed. */
const mostCallers = 1000;

export function createLimitedCallers(now: () => number): LimitedCallers {
  const channels = new Map<number, ChannelUse>();
  /** The clock may have been set back. */
  const isRecent = (at: number): boolean => Math.abs(now() - at) <= rememberedMs;

  function used(channelId: number, caller: number): ChannelUse {
    let use = channels.get(channelId);
    if (use === undefined) channels.set(channelId, (use = { callers: new Map(), limits: new Map() }));
    noteLast(use.callers, caller, now(), 2);
    return use;
  }

  return {
    served: (channelId, caller) => void used(channelId, caller),
    limited(channelId, { keyId, caller }) {
      const { callers, limits } = used(channelId, caller);
      const first = limits.get(caller);
      if (first !== undefined && isRecent(first.at) && first.keyId !== keyId)
        return [...callers].some(([other, at]) => other !== caller && isRecent(at));
      noteLast(limits, caller, { keyId, at: now() }, mostCallers);
      return false;
    },
  };
}

function noteLast<Value>(all: Map<number, Value>, key: number, value: Value, most: number): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > most && oldest !== undefined) all.delete(oldest);
}
