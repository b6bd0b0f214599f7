// Histogram of times to first byte, small enough to sum over hours and processes.

/**
 * Lower bounds of the buckets in milliseconds, each about 1.5 times the one before; the last bucket is unbounded.
 * Stored counts use these as keys: after a change of the list, old counts stay readable for two days.
 */
export const firstByteBuckets = [
  0, 50, 75, 110, 170, 250, 380, 570, 850, 1_300, 1_900, 2_900, 4_300, 6_500, 9_700, 15_000, 22_000, 33_000,
] as const;

export type FirstByteKey = `ms_${(typeof firstByteBuckets)[number]}`;

export const firstByteKeys: readonly FirstByteKey[] = firstByteBuckets.map((from): FirstByteKey => `ms_${from}`);

/** Returns the index of the bucket of a time. */
export function bucketOf(milliseconds: number): number {
  let bucket = firstByteBuckets.length - 1;
  while (bucket > 0 && milliseconds < (firstByteBuckets[bucket] ?? 0)) bucket -= 1;
  return bucket;
}

/** Counts of one bucket. */
export interface FirstByteBucket {
  count: number;
  /** Sum of the times, milliseconds. */
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

/** Reads a stored bucket. Counts stored without a sum are assigned the bucket's midpoint. */
export function storedBucket(bucket: number, { count, milliseconds }: FirstByteBucket): FirstByteBucket {
  const from = firstByteBuckets[bucket] ?? 0;
  const isWhole = bucket === 0 || milliseconds >= from * count;
  return { count, milliseconds: isWhole ? milliseconds : Math.round((count * (from + (firstByteBuckets[bucket + 1] ?? from))) / 2) };
}

/**
 * Median in whole milliseconds: the mean of the bucket that contains it. Exact if all times there are equal; the error
 * never exceeds the bucket's width. Returns null without counts.
 */
export function medianFirstByte(buckets: readonly FirstByteBucket[]): number | null {
  return firstByteQuantile(buckets, 0.5);
}

/** Time that this share of the counts does not exceed, as `medianFirstByte`. */
export function firstByteQuantile(buckets: readonly FirstByteBucket[], share: number): number | null {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total <= 0) return null;
  let below = 0;
  for (const { count, milliseconds } of buckets) {
    below += count;
    if (below >= total * share && count > 0) return Math.round(milliseconds / count);
  }
  return null;
}
