// Headers of providers that say when a key has something left again.
import { expect, test } from 'vitest';
import { exhaustedUntil } from './rate-limit-headers.ts';

const now = Date.UTC(2026, 10, 30, 12);
const minute = 60_000;

test.each<[string, Record<string, string | string[]>, number]>([
  ['OpenAI: requests used up', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30s' }, 90_000],
  ['OpenAI: milliseconds', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms' }, 120],
  ['OpenAI: something left', { 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '1m30s' }, 0],
  [
    'the longer one of two counts',
    {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '2s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '1m',
    },
    minute,
  ],
  [
    'Anthropic: a date',
    { 'anthropic-ratelimit-input-tokens-remaining': '0', 'anthropic-ratelimit-input-tokens-reset': '2026-11-30T12:01:00Z' },
    minute,
  ],
  ['draft: seconds from now', { 'ratelimit-remaining': '0', 'ratelimit-reset': '60' }, minute],
  ['seconds since the epoch', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 60) }, minute],
  ['milliseconds since the epoch, as OpenRouter', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + minute) }, minute],
  ['at most five minutes', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '23h59m' }, 300_000],
  ['a time that has passed', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 - 60) }, 0],
  ['without a reset', { 'x-ratelimit-remaining-requests': '0' }, 0],
  ['not a time', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': 'soon' }, 0],
  ['several values', { 'x-ratelimit-remaining-requests': ['0', '1'], 'x-ratelimit-reset-requests': '1m' }, 0],
])('%s', (_, headers, wait) => {
  expect(exhaustedUntil(headers, now)).toBe(wait === 0 ? 0 : now + wait);
});
