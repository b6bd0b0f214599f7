import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deadlineMs, mostOfOwner, mostWaiting, sliceCharacters, TokenQueue } from './token-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue whose counter is controlled by the test; a character is a token, and an estimate is twice that. */
function buildQueue() {
  const requested: { texts: readonly string[]; answer(tokens: number | null): void }[] = [];
  const queue = new TokenQueue<string>({
    count: (_encoding, texts) => new Promise((resolve) => void requested.push({ texts, answer: resolve })),
    estimate: (text) => 2 * text.length,
  });
  /** Answers the requested slice, and returns whose texts it had. */
  const step = async (): Promise<string> => {
    const slice = requested.shift();
    slice?.answer(slice.texts.reduce((sum, text) => sum + text.length, 0));
    await vi.advanceTimersByTimeAsync(0);
    return slice?.texts[0]?.[0] ?? '';
  };
  const count = (owner: number, ...texts: string[]) => queue.count({ owner, encoding: 'x', texts });
  return { queue, requested, step, count };
}

const slices = (letter: string, number: number) => letter.repeat(number * sliceCharacters);

test('token queue: a long prompt of one caller delays another by one slice only', async () => {
  const { count, step } = buildQueue();
  const long = count(1, slices('a', 50));
  const more = count(1, slices('b', 50));
  const short = count(2, 'c', 'd');
  expect([await step(), await step()]).toEqual(['a', 'c']);
  expect(await short).toEqual({ tokens: 2, isEstimated: false });
  for (let turn = 0; turn < 99; turn += 1) await step();
  expect(await long).toEqual({ tokens: 50 * sliceCharacters, isEstimated: false });
  expect((await more).tokens).toBe(50 * sliceCharacters);
});

test('token queue: callers take turns, however many counts each requests', async () => {
  const { count, step } = buildQueue();
  for (let index = 0; index < 5; index += 1) void count(1, slices('a', 2));
  void count(2, slices('b', 2));
  void count(3, slices('c', 2));
  const order = [];
  for (let turn = 0; turn < 8; turn += 1) order.push(await step());
  expect(order.join('')).toBe('abcabcaa');
});

test('token queue: after the deadline the rest is estimated, and the next caller has a turn', async () => {
  const { count, step, requested } = buildQueue();
  const long = count(1, slices('a', 10));
  await step();
  await vi.advanceTimersByTimeAsync(deadlineMs);
  expect(await long).toEqual({ tokens: sliceCharacters + 2 * 9 * sliceCharacters, isEstimated: true });
  const next = count(2, 'b');
  await step();
  await step();
  expect(await next).toEqual({ tokens: 1, isEstimated: false });
  expect(requested).toHaveLength(0);
});

test('token queue: waiting characters are limited per caller and in total', async () => {
  const { count, queue } = buildQueue();
  const own = slices('a', mostOfOwner / sliceCharacters);
  const first = count(1, own);
  expect(await count(1, 'b')).toEqual({ tokens: 2, isEstimated: true });
  expect(await count(2, `${own}c`)).toMatchObject({ isEstimated: true });
  const others = Array.from({ length: mostWaiting / mostOfOwner - 1 }, (_, index) => count(10 + index, own));
  expect(await count(3, 'd')).toEqual({ tokens: 2, isEstimated: true });
  queue.close();
  for (const each of [first, ...others]) expect(await each).toMatchObject({ isEstimated: true });
  const later = count(3, 'e');
  queue.close();
  expect(await later).toEqual({ tokens: 2, isEstimated: true });
});

test('token queue: a slice that cannot be counted is estimated, and the next one is counted', async () => {
  const { count, requested, step } = buildQueue();
  const broken = count(1, 'aa');
  const next = count(2, 'b');
  requested.shift()?.answer(null);
  await vi.advanceTimersByTimeAsync(0);
  expect(await broken).toEqual({ tokens: 4, isEstimated: true });
  await step();
  expect(await next).toEqual({ tokens: 1, isEstimated: false });
});

test('token queue: many short texts are counted in a few slices', async () => {
  const { count, step, requested } = buildQueue();
  const many = count(1, ...Array.from({ length: 2_500 }, () => 'a'), '');
  for (let turn = 0; turn < 3; turn += 1) await step();
  expect(requested).toHaveLength(0);
  expect(await many).toEqual({ tokens: 2_500, isEstimated: false });
});
