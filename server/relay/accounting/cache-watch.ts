// Whether a conversation was still in its provider's cache: what its last call left there, and how much of that this one read. Kept in
// memory for as long as providers keep prompts, bounded; a process knows the calls that it had itself.
import type { TokenUsage } from '#shared/token-usage.ts';
import { inputTokens } from '#shared/token-usage.ts';
import type { Affinity } from '#server/relay/routing/affinity.ts';

export interface CacheWatch {
  /**
   * A call has ended whose usage its upstream told.
   * @returns tokens that were in the cache and that it read less than half of; undefined: nothing is wrong, or nothing is known
   */
  ended(call: WatchedCall): number | undefined;
}

export interface WatchedCall {
  affinity: Affinity;
  usage: TokenUsage;
  /** The provider keeps every prompt, not only what a request marks. */
  cachesAll: boolean;
  /** Milliseconds. */
  startedAt: number;
  endedAt: number;
}

/** What no provider keeps is too short to be missed. https://platform.openai.com/docs/guides/prompt-caching */
const leastCached = 1024;
const shortLifetime = 5 * 60_000;
const longLifetime = 60 * 60_000;
const mostKept = 20_000;

interface Left {
  tokens: number;
  turns: number;
  at: number;
  lifetime: number;
}

export function createCacheWatch(): CacheWatch {
  /** The one that was used longest ago comes first. */
  const left = new Map<number, Left>();
  return {
    ended({ affinity, usage, cachesAll, startedAt, endedAt }) {
      const key = (affinity.high & 0x1f_ffff) * 2 ** 32 + affinity.low;
      const before = left.get(key);
      const isLive = before !== undefined && startedAt - before.at <= before.lifetime;
      // Shorter than before, it is another one in the same name: a title, a summary.
      if (isLive && affinity.turns < before.turns) return undefined;
      const prompt = inputTokens(usage);
      const read = usage.cacheRead;
      const expected = isLive && before.at <= startedAt ? Math.min(before.tokens, prompt) : 0;
      const tokens = cachesAll ? prompt : read + usage.cacheWrite5m + usage.cacheWrite1h;
      const isLong = usage.cacheWrite1h > 0 || (isLive && before.lifetime === longLifetime && read > 0);
      left.delete(key);
      if (tokens >= leastCached)
        left.set(key, { tokens, turns: affinity.turns, at: endedAt, lifetime: isLong ? longLifetime : shortLifetime });
      if (left.size > mostKept) dropOldest(left);
      return expected - read >= leastCached && read < expected / 2 ? expected : undefined;
    },
  };
}

function dropOldest(left: Map<number, Left>): void {
  for (const key of left.keys()) {
    left.delete(key);
    return;
  }
}
