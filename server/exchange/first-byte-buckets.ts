// How long first bytes took, as a histogram small enough to be summed over hours and processes.

/**
 * The lowest time of each bucket, in milliseconds, each about half as long again as the one before; the last has no end.
 * Stored counts are named after these: a change of the list leaves the old counts readable for two days.
 */
export const firstByteBuckets = [
  0, 50, 75, 110, 170, 250, 380, 570, 850, 1_300, 1_900, 2_900, 4_300, 6_500, 9_700, 15_000, 22_000, 33_000,
] as const;

export type FirstByteKey = `ms_${(typeof firstByteBuckets)[number]}`;

export const firstByteKeys: readonly FirstByteKey[] = firstByteBuckets.map((from): FirstByteKey => `ms_${from}`);

/** The position of the bucket that a time belongs to. */
export function bucketOf(milliseconds: number): number {
  let bucket = firstByteBuckets.length - 1;
  while (bucket > 0 && milliseconds < (firstByteBuckets[bucket] ?? 0)) bucket -= 1;
  return bucket;
}

/** What fell into one bucket. */
export interface FirstByteBucket {
  count: number;
  /** The sum of the times, in milliseconds. */
  milliseconds: number;
}

export function emptyFirstBytes(): FirstByteBucket[] {
  return firstByteBuckets.map(() => ({ count: 0, milliseconds: 0 }));
}

export function addFirstBytes(to: FirstByteBucket[], from: readonly FirstByteBucket[], sign: 1 | -1 = 1): void {
  for (const [bucket, { count, milliseconds }] of from.entries()) {
    const target = (to[bucket] ??= { count: 0, milliseconds: 0 });
    target.count += sign * count;
    target.milliseconds += sign * milliseconds;
  }
}

/** A bucket as it was stored. Of times that were stored without their sum, the middle of the bucket is taken. */
export function storedBucket(bucket: number, { count, milliseconds }: FirstByteBucket): FirstByteBucket {
  const from = firstByteBuckets[bucket] ?? 0;
  const isWhole = bucket === 0 || milliseconds >= from * count;
  return { count, milliseconds: isWhole ? milliseconds : Math.round((count * (from + (firstByteBuckets[bucket + 1] ?? from))) / 2) };
}

/**
 * The median in whole milliseconds: the mean of the bucket in which it falls. That is exact when the times there are alike,
 * and never off by more than the bucket is wide, which is half of where it begins (the last one is as wide as its times
 * are apart). Null without counts.
 */
export function medianFirstByte(buckets: readonly FirstByteBucket[]): number | null {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total <= 0) return null;
  let below = 0;
  for (const { count, milliseconds } of buckets) {
    below += count;
    if (below >= total / 2 && count > 0) return Math.round(milliseconds / count);
  }
  return null;
}
