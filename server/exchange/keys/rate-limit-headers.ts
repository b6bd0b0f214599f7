// Reads rate-limit headers of responses: the time until which a key has nothing left.
// https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers
// https://docs.anthropic.com/en/api/rate-limits#response-headers
// https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-07
import type { ResponseHeaders } from '#server/exchange/send.ts';

/** Names of what remains and of when it is reset. */
const pairs: readonly (readonly [remaining: string, reset: string])[] = [
  ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
  ['anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
  ['anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset'],
  ['anthropic-ratelimit-output-tokens-remaining', 'anthropic-ratelimit-output-tokens-reset'],
  ['x-ratelimit-remaining', 'x-ratelimit-reset'],
  ['ratelimit-remaining', 'ratelimit-reset'],
];

/** Maximum wait that a header may demand, in milliseconds. */
const longestMs = 300_000;

/** Returns the time in milliseconds until which nothing remains; 0 if something does, or the headers do not say. */
export function exhaustedUntil(headers: ResponseHeaders | undefined, now: number): number {
  if (headers === undefined) return 0;
  let until = 0;
  for (const [remaining, reset] of pairs) {
    const left = headers[remaining];
    if (typeof left !== 'string' || left.trim() !== '0') continue;
    const value = headers[reset];
    if (typeof value === 'string') until = Math.max(until, resetAt(value.trim(), now));
  }
  return until > now ? Math.min(until, now + longestMs) : 0;
}

function resetAt(value: string, now: number): number {
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Number(value);
    // Seconds from now, or since the epoch, or milliseconds since the epoch.
    if (number >= 1e12) return number;
    return number >= 1e9 ? number * 1000 : now + number * 1000;
  }
  const duration = durationMs(value);
  if (duration !== undefined) return now + duration;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : date;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Go's form of a duration: `6m0s`, `1.5s`, `120ms`. */
function durationMs(value: string): number | undefined {
  if (value.length > 40 || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(value)) return undefined;
  let sum = 0;
  for (const [, number, unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) sum += Number(number) * (units[unit] ?? 0);
  return sum;
}
