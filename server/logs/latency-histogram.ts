// How long calls took, as counts on a fixed scale: counts of several hours are added, which percentiles are not. Each place is a
// quarter wider than the one before, and a percentile is the geometric middle of its place: at most 12 % off.
import type { GroupRow } from '#server/db/collection.ts';

/** Counts by the place on the scale. Zeros at the end are left off. */
export type Histogram = number[];

/** Of the calls that ended well. */
export interface Latency {
  duration: Histogram;
  /** Of those whose first byte was seen. */
  first_byte: Histogram;
}

/** Milliseconds: below 10 ms, fifty places up to 11.7 minutes, and beyond. */
const scale = { least: 10, ratio: 1.25, last: 51 } as const;

/** To be asked of rows; `addPlaces` understands the result. */
export const latencyScales = {
  duration_place: { path: 'other.duration_ms', ...scale },
  first_byte_place: { path: 'other.frt', ...scale },
} as const;

export function emptyLatency(): Latency {
  return { duration: [], first_byte: [] };
}

/** Adds rows of calls that ended well. */
export function addPlaces(to: Latency, row: GroupRow): void {
  addAt(to.duration, row['duration_place'], row.count);
  addAt(to.first_byte, row['first_byte_place'], row.count);
}

export function addLatency(to: Latency, from: Latency): void {
  for (const [place, count] of from.duration.entries()) addAt(to.duration, place, count);
  for (const [place, count] of from.first_byte.entries()) addAt(to.first_byte, place, count);
}

/** Of a whole without some of its parts. */
export function withoutLatency(whole: Latency, parts: readonly Latency[]): Latency {
  const left = { duration: [...whole.duration], first_byte: [...whole.first_byte] };
  for (const part of parts) {
    for (const [place, count] of part.duration.entries()) addAt(left.duration, place, -count);
    for (const [place, count] of part.first_byte.entries()) addAt(left.first_byte, place, -count);
  }
  return left;
}

/** Milliseconds within which this share of the calls stayed; null without a call. */
export function percentileOf(histogram: Histogram, share: number): number | null {
  const count = histogram.reduce((sum, one) => sum + one, 0);
  let left = Math.max(1, Math.ceil(count * share));
  for (const [place, calls] of histogram.entries()) {
    left -= calls;
    if (left <= 0) return middleOf(place);
  }
  return null;
}

/** What is below the scale is shorter than that, what is beyond it longer. */
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
