// Detects conversations that their provider's cache has lost: compares the tokens that the last call cached with those that this one
// read. Held in memory for as long as providers cache prompts, bounded; a process knows its own calls only.
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { Affinity } from './affinity.ts';

export interface CacheWatch {
  /**
   * Records an ended call whose usage the upstream reported.
   * @returns tokens that were in the cache and that it read less than half of; undefined: nothing is wrong, or nothing is known
   */
  ended(call: WatchedCall): number | undefined;
}

export interface WatchedCall {
  affinity: Affinity;
  usage: TokenUsage;
  /** Whether the provider caches every prompt, not only marked content. */
  cachesAll: boolean;
  /** Milliseconds. */
  startedAt: number;
  endedAt: number;
}

/** Tokens below which no provider caches a prompt. https://platform.openai.com/docs/guides/prompt-caching */
const leastCached = 1024;
const shortLifetime = 5 * 60_000;
const longLifetime = 60 * 60_000;
const mostStored = 20_000;
/** Characters by which instructions differ if only a date, a number or a name in them does. */
const slightChange = 64;

interface Left {
  reported: number;
  tokens: number;
  turns: number;
  at: number;
  lifetime: number;
}

export function createCacheWatch(): CacheWatch {
  /** The one that was used longest ago comes first. */
  const left = new Map<number, Left>();
  /** The latest conversation by the hash of its first user message. */
  const lastAlike = new Map<number, number>();

  /** What its last call left. A prompt whose beginning changes is in no cache, and begins no new conversation by that. */
  function leftBefore({ prompts, alike, reported, turns }: Affinity): Left | undefined {
    const own = left.get(prompts);
    const other = own === undefined ? lastAlike.get(alike) : undefined;
    const before = other === undefined ? undefined : left.get(other);
    if (other === undefined || before === undefined || turns <= before.turns || Math.abs(reported - before.reported) > slightChange)
      return own;
    left.delete(other);
    return before;
  }

  return {
    ended({ affinity, usage, cachesAll, startedAt, endedAt }) {
      const { prompts: key, alike, reported, turns } = affinity;
      const before = leftBefore(affinity);
      const isLive = before !== undefined && startedAt - before.at <= before.lifetime;
      // Shorter than before, it is another one in the same name: a title, a summary.
      if (isLive && turns < before.turns) return undefined;
      const prompt = inputTokens(usage);
      const read = usage.cacheRead;
      const expected = isLive && before.at <= startedAt ? Math.min(before.tokens, prompt) : 0;
      const tokens = cachesAll ? prompt : read + usage.cacheWrite5m + usage.cacheWrite1h;
      const isLong = usage.cacheWrite1h > 0 || (isLive && before.lifetime === longLifetime && read > 0);
      left.delete(key);
      if (tokens >= leastCached) {
        left.set(key, { reported, tokens, turns, at: endedAt, lifetime: isLong ? longLifetime : shortLifetime });
        if (alike !== 0) storeLast(lastAlike, alike, key);
      }
      if (left.size > mostStored) dropOldest(left);
      return expected - read >= leastCached && read < expected / 2 ? expected : undefined;
    },
  };
}

function storeLast(last: Map<number, number>, alike: number, key: number): void {
  last.delete(alike);
  last.set(alike, key);
  if (last.size > mostStored) dropOldest(last);
}

function dropOldest(stored: Map<number, unknown>): void {
  for (const key of stored.keys()) {
    stored.delete(key);
    return;
  }
}
