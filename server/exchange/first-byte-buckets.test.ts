import { describe, expect, it } from 'vitest';
import {
  addFirstBytes,
  bucketOf,
  emptyFirstBytes,
  type FirstByteBucket,
  firstByteBuckets,
  firstByteKeys,
  medianFirstByte,
  storedBucket,
} from './first-byte-buckets.ts';

function bucketsOf(times: readonly number[]): FirstByteBucket[] {
  const buckets = emptyFirstBytes();
  for (const time of times) {
    const bucket = buckets[bucketOf(time)];
    if (bucket === undefined) throw new Error(`No bucket takes ${time}`);
    bucket.count += 1;
    bucket.milliseconds += time;
  }
  return buckets;
}

describe('first byte buckets', () => {
  it('assign every time to the last bucket that begins at or before it', () => {
    expect([0, 49.9, 50, 74, 75, 32_999, 33_000, 10 ** 9, Number.POSITIVE_INFINITY].map(bucketOf)).toEqual([0, 0, 1, 1, 2, 16, 17, 17, 17]);
    expect(bucketOf(-1)).toBe(0);
    expect(firstByteKeys).toHaveLength(firstByteBuckets.length);
  });

  it('have no median without times', () => {
    expect(medianFirstByte([])).toBeNull();
    expect(medianFirstByte(bucketsOf([]))).toBeNull();
  });

  it.each([
    ['one time', [851], 851],
    ['many alike', Array.from({ length: 999 }, () => 1_000), 1_000],
    ['a few slow ones', [...Array.from({ length: 90 }, () => 300), ...Array.from({ length: 10 }, () => 20_000)], 300],
    ['a few quick ones', [...Array.from({ length: 40 }, () => 60), ...Array.from({ length: 60 }, () => 4_300)], 4_300],
    ['slower than all buckets', [40_000, 50_000, 60_000], 50_000],
    ['two minutes', [120_000], 120_000],
    ['nearly nothing', [1, 2, 3], 2],
    ['nothing', [0, 0, 0], 0],
  ])('have the exact median of equal times: %s', (_name, times, median) => {
    expect(medianFirstByte(bucketsOf(times))).toBe(median);
  });

  it.each([
    ['an even spread', Array.from({ length: 1_000 }, (_, at) => at + 1), 500],
    ['many short and a few long', Array.from({ length: 1_001 }, (_, at) => Math.round(50 * 1.005 ** at)), Math.round(50 * 1.005 ** 500)],
    ['two lumps in one bucket', [...Array.from({ length: 51 }, () => 380), ...Array.from({ length: 50 }, () => 569)], 380],
  ])('have a median in the bucket of the exact one: %s', (_name, times, median) => {
    const bucket = bucketOf(median);
    const found = medianFirstByte(bucketsOf(times)) ?? Number.NaN;
    expect(found).toBeGreaterThanOrEqual(firstByteBuckets[bucket] ?? 0);
    expect(found).toBeLessThanOrEqual(firstByteBuckets[bucket + 1] ?? Number.NaN);
  });

  it('can be added and subtracted', () => {
    const sum = bucketsOf([60, 800]);
    addFirstBytes(sum, bucketsOf([60, 70, 40_000]));
    expect(sum).toEqual(bucketsOf([60, 800, 60, 70, 40_000]));
    addFirstBytes(sum, bucketsOf([60, 800]), -1);
    expect(sum).toEqual(bucketsOf([60, 70, 40_000]));
  });

  it('count as their midpoint if stored without sums', () => {
    expect(storedBucket(bucketOf(851), { count: 4, milliseconds: 0 })).toEqual({ count: 4, milliseconds: 4 * 1_075 });
    expect(storedBucket(firstByteBuckets.length - 1, { count: 2, milliseconds: 0 })).toEqual({ count: 2, milliseconds: 66_000 });
    expect(storedBucket(bucketOf(851), { count: 4, milliseconds: 3_500 })).toEqual({ count: 4, milliseconds: 3_500 });
    expect(storedBucket(0, { count: 4, milliseconds: 0 })).toEqual({ count: 4, milliseconds: 0 });
  });
});
