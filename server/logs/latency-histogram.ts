// Latency histograms on a fixed scale, which can be added, unlike percentiles. Each bucket is a quarter wider than the
// one before, and a percentile is the geometric center of its bucket: at most 12 % off.
import type { GroupRow } from '#server/db/collection.ts';

/** Counts by bucket. Trailing zeros are omitted. */
export type Histogram = number[];

/** Latency of successful calls. */
export interface Latency {
  duration: Histogram;
  /** Calls with a first byte. */
  first_byte: Histogram;
}

/** Milliseconds: below 10 ms, fifty buckets up to 11.7 minutes, and beyond. */
const scale = { least: 10, ratio: 1.25, last: 51 } as const;

/** Scales for grouping rows; `addPlaces` reads the result. */
export const latencyScales = {
  duration_place: { path: 'other.duration_ms', ...scale },
  first_byte_place: { path: 'other.frt', ...scale },
} as const;

export function emptyLatency(): Latency {
  return { duration: [], first_byte: [] };
}

/** Adds rows of successful calls. */
export function addPlaces(to: Latency, row: GroupRow): void {
  addAt(to.duration, row['duration_place'], row.count);
  addAt(to.first_byte, row['first_byte_place'], row.count);
}

export function addLatency(to: Latency, from: Latency): void {
  for (const [place, count] of from.duration.entries()) addAt(to.duration, place, count);
  for (const [place, count] of from.first_byte.entries()) addAt(to.first_byte, place, count);
}

/** Subtracts parts from a whole. */
export function withoutLatency(whole: Latency, parts: readonly Latency[]): Latency {
  const left = { duration: [...whole.duration], first_byte: [...whole.first_byte] };
  for (const part of parts) {
    for (const [place, count] of part.duration.entries()) addAt(left.duration, place, -count);
    for (const [place, count] of part.first_byte.entries()) addAt(left.first_byte, place, -count);
  }
  return left;
}

/** Milliseconds within which this share of the calls ended; null without calls. */
export function percentileOf(histogram: Histogram, share: number): number | null {
  const count = histogram.reduce((sum, one) => sum + one, 0);
  let left = Math.max(1, Math.ceil(count * share));
  for (const [place, calls] of histogram.entries()) {
    left -= calls;
    if (left <= 0) return middleOf(place);
  }
  return null;
}

/** Center of a bucket; values outside the scale are clamped. */
function middleOf(place: number): number {
  const { least, ratio, last } = scale;
  if (place === 0) return least;
  return Math.round(least * ratio ** (place === last ? place - 1 : place - 0.5));
}

function addAt(histogram: Histogram, place: unknown, count: number): void {
  if (typeof place !== 'number') return;
  while (histogram.length <= place) histogram.push(0);
  histogram[place] = (histogram[place] ?? 0) + count;
}
