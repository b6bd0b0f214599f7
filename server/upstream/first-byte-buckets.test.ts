import { describe, expect, it } from 'vitest';
import { bucketOf, firstByteBuckets, firstByteKeys, medianFirstByte } from './first-byte-buckets.ts';

function countsOf(times: readonly number[]): number[] {
  const counts = firstByteBuckets.map(() => 0);
  for (const time of times) counts[bucketOf(time)] = (counts[bucketOf(time)] ?? 0) + 1;
  return counts;
}

describe('first byte buckets', () => {
  it('take every time there is, each into the bucket that begins at or before it', () => {
    expect([0, 49.9, 50, 74, 75, 32_999, 33_000, 10 ** 9, Number.POSITIVE_INFINITY].map(bucketOf)).toEqual([0, 0, 1, 1, 2, 16, 17, 17, 17]);
    expect(bucketOf(-1)).toBe(0);
    expect(firstByteKeys).toHaveLength(firstByteBuckets.length);
  });

  it('have no median without a time', () => {
    expect(medianFirstByte([])).toBeNull();
    expect(medianFirstByte(countsOf([]))).toBeNull();
  });

  it.each([
    ['one time', [610], 610],
    ['many alike', Array.from({ length: 999 }, () => 1_000), 1_000],
    ['an even spread', Array.from({ length: 1_000 }, (_, at) => at + 1), 500],
    ['a few slow ones', [...Array.from({ length: 90 }, () => 300), ...Array.from({ length: 10 }, () => 20_000)], 300],
    ['slower than all buckets', [40_000, 50_000, 60_000], 50_000],
    ['nearly nothing', [1, 2, 3], 2],
  ])('have a median near the true one: %s', (_name, times, median) => {
    const found = medianFirstByte(countsOf(times)) ?? Number.NaN;
    const bucket = bucketOf(median);
    expect(found).toBeGreaterThanOrEqual(firstByteBuckets[bucket] ?? 0);
    expect(found).toBeLessThanOrEqual(firstByteBuckets[bucket + 1] ?? 49_500);
    if (times.length === 1_000) expect(Math.abs(found - median)).toBeLessThan(25);
  });
});
