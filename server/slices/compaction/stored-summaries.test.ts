import { expect, test } from 'vitest';
import { createStoredSummaries, summaryKey } from './stored-summaries.ts';

const answer = Buffer.from('{"summary":"tides"}');
const minute = 60_000;

function memory(most?: { all: number; perOwner: number }) {
  const clock = { now: 1_800_000_000_000 };
  return { clock, summaries: createStoredSummaries({ now: () => clock.now }, most) };
}

test('summaries: only the user who paid for a summary gets it, once', () => {
  const { summaries } = memory();
  summaries.store({ userId: 1, key: 'a', answer });
  expect(summaries.take({ userId: 2, key: 'a' })).toBeUndefined();
  expect(summaries.take({ userId: 1, key: 'b' })).toBeUndefined();
  expect(summaries.take({ userId: 1, key: 'a' })).toEqual({ userId: 1, key: 'a', answer });
  expect(summaries.take({ userId: 1, key: 'a' })).toBeUndefined();
  expect(summaries.bytes).toBe(0);
});

test('summaries: expire after ten minutes and release their memory', () => {
  const { summaries, clock } = memory();
  summaries.store({ userId: 1, key: 'a', answer });
  clock.now += 9 * minute;
  summaries.store({ userId: 1, key: 'b', answer });
  clock.now += 2 * minute;
  expect(summaries.take({ userId: 1, key: 'a' })).toBeUndefined();
  expect(summaries.take({ userId: 1, key: 'b' })).toBeDefined();
  expect(summaries.bytes).toBe(0);
});

test('summaries: beyond the share of a user the oldest of that user are evicted; one above the maximum size is not stored', () => {
  const { summaries } = memory({ all: 1024 * 1024, perOwner: 64 * 1024 });
  summaries.store({ userId: 2, key: 'a', answer });
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) summaries.store({ userId: 1, key, answer: Buffer.alloc(16 * 1024) });
  expect(summaries.bytes).toBeLessThan(80 * 1024);
  expect(summaries.take({ userId: 1, key: 'a' })).toBeUndefined();
  expect(summaries.take({ userId: 1, key: 'g' })).toBeDefined();
  expect(summaries.take({ userId: 2, key: 'a' })).toBeDefined();
  summaries.store({ userId: 1, key: 'long', answer: Buffer.alloc(1024 * 1024) });
  expect(summaries.take({ userId: 1, key: 'long' })).toBeUndefined();
});

test('summaries: the key depends on the model, the conversation and the instructions', () => {
  const request = { model: 'm', messages: [{ role: 'user', content: 'a' }] };
  const keys = [
    summaryKey('m', request),
    summaryKey('n', request),
    summaryKey('m', { ...request, messages: [] }),
    summaryKey('m', { ...request, system: 's' }),
  ];
  expect(new Set(keys).size).toBe(4);
  expect(summaryKey('m', structuredClone(request))).toBe(keys[0]);
});
