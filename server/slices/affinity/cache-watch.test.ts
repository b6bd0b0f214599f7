import { expect, test } from 'vitest';
import { noTokens } from '#shared/token-usage.ts';
import { createCacheWatch } from './cache-watch.ts';

const minute = 60_000;

interface Call {
  at: number;
  turns?: number;
  plain?: number;
  read?: number;
  written?: number;
  writtenForAnHour?: number;
  cachesAll?: boolean;
  seconds?: number;
  conversation?: number;
  /** What its user said first; 0: its client names it. */
  alike?: number;
  reported?: number;
}

function watch() {
  const caches = createCacheWatch();
  return ({
    at,
    turns = 1,
    plain = 0,
    read = 0,
    written = 0,
    writtenForAnHour = 0,
    cachesAll = false,
    seconds = 1,
    conversation = 1,
    alike = 0,
    reported = 0,
  }: Call) =>
    caches.ended({
      affinity: { high: 1, low: conversation, turns, prompts: conversation, alike, reported },
      usage: { ...noTokens, input: plain, cacheRead: read, cacheWrite5m: written, cacheWrite1h: writtenForAnHour },
      cachesAll,
      startedAt: at,
      endedAt: at + seconds * 1000,
    });
}

test('who reads what was written has nothing to complain of, and the next one is measured by both', () => {
  const ended = watch();
  expect(ended({ at: 0, written: 10_000 })).toBeUndefined();
  expect(ended({ at: minute, turns: 3, read: 10_000, written: 2_000 })).toBeUndefined();
  expect(ended({ at: 2 * minute, turns: 5, written: 15_000 })).toBe(12_000);
});

test.each<[string, Call, Call, number | undefined]>([
  ['none of it was read', { at: 0, written: 10_000 }, { at: minute, turns: 3, written: 11_000 }, 10_000],
  ['less than half was read', { at: 0, written: 10_000 }, { at: minute, turns: 3, read: 4_999, written: 6_000 }, 10_000],
  ['half was read', { at: 0, written: 10_000 }, { at: minute, turns: 3, read: 5_000, written: 6_000 }, undefined],
  ['a prompt that became shorter is measured by itself', { at: 0, written: 10_000 }, { at: minute, turns: 3, plain: 3_000 }, 3_000],
  ['what is too short for a cache is not missed', { at: 0, written: 10_000 }, { at: minute, turns: 3, plain: 1_000 }, undefined],
  ['it had been forgotten by then', { at: 0, written: 10_000 }, { at: 6 * minute, turns: 3, written: 11_000 }, undefined],
  ['it was kept for an hour', { at: 0, writtenForAnHour: 10_000 }, { at: 50 * minute, turns: 3, plain: 11_000 }, 10_000],
  ['both were under way at once', { at: 0, written: 10_000, seconds: 90 }, { at: minute, turns: 1, written: 10_000 }, undefined],
  [
    'a shorter one in the same name is another one',
    { at: 0, written: 10_000, turns: 5 },
    { at: minute, turns: 1, plain: 9_000 },
    undefined,
  ],
  ['nothing was marked', { at: 0, plain: 10_000 }, { at: minute, turns: 3, plain: 11_000 }, undefined],
  [
    'the provider keeps every prompt',
    { at: 0, plain: 10_000, cachesAll: true },
    { at: minute, turns: 3, plain: 11_000, cachesAll: true },
    10_000,
  ],
  [
    'what the model is told has the time in it, so its beginning is never the same',
    { at: 0, written: 10_000, alike: 7, reported: 1_000 },
    { at: minute, turns: 3, conversation: 2, alike: 7, reported: 1_001, written: 11_000 },
    10_000,
  ],
  [
    'another one that begins with the same words, and whose model is told something else',
    { at: 0, written: 10_000, alike: 7, reported: 1_000 },
    { at: minute, turns: 3, conversation: 2, alike: 7, reported: 1_100, written: 11_000 },
    undefined,
  ],
  [
    'another one that begins with the same words, and has not gone on',
    { at: 0, written: 10_000, alike: 7, reported: 1_000 },
    { at: minute, conversation: 2, alike: 7, reported: 1_001, written: 11_000 },
    undefined,
  ],
  ['another conversation', { at: 0, written: 10_000 }, { at: minute, conversation: 2, written: 11_000 }, undefined],
])('%s', (_about, first, second, expected) => {
  const ended = watch();
  expect(ended(first)).toBeUndefined();
  expect(ended(second)).toBe(expected);
});
