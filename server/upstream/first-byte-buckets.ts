// How long first bytes took, as a histogram small enough to be summed over hours and processes.

/**
 * The lowest time of each bucket, in milliseconds, each about half as long again as the one before; the last has no end.
 * Stored counts are named after these: a change of the list leaves the old counts readable for two days.
 */
export const firstByteBuckets = [
  0, 50, 75, 110, 170, 250, 380, 570, 850, 1_300, 1_900, 2_900, 4_300, 6_500, 9_700, 15_000, 22_000, 33_000,
] as const;

export type FirstByteKey = `ms_${(typeof firstByteBuckets)[number]}`;
/** Bucket → how many first bytes fell into it. Buckets without any are absent. */
export type FirstByteCounts = Partial<Record<FirstByteKey, number>>;

export const firstByteKeys: readonly FirstByteKey[] = firstByteBuckets.map((from): FirstByteKey => `ms_${from}`);

/** The position of the bucket that a time belongs to. */
export function bucketOf(milliseconds: number): number {
  let bucket = firstByteBuckets.length - 1;
  while (bucket > 0 && milliseconds < (firstByteBuckets[bucket] ?? 0)) bucket -= 1;
  return bucket;
}

/**
 * The median in whole milliseconds; null without counts. Within a bucket the times are taken to lie evenly on the scale of
 * the buckets, so the answer is off by a few percent, never by more than the bucket's width.
 */
export function medianFirstByte(counts: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return null;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (below + count < total / 2) {
      below += count;
      continue;
    }
    const from = firstByteBuckets[bucket] ?? 0;
    const to = firstByteBuckets[bucket + 1] ?? from * 1.5;
    const share = (total / 2 - below) / count;
    return Math.round(from === 0 ? to * share : from * (to / from) ** share);
  }
  return null;
}
