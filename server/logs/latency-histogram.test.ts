import { expect, it } from 'vitest';
import { addLatency, addPlaces, emptyLatency, type Latency, latencyScales, percentileOf } from './latency-histogram.ts';

/** Computes buckets as the stores do. */
function placeOf(value: number): number {
  const { least, ratio, last } = latencyScales.duration_place;
  return value < least ? 0 : Math.min(last, 1 + Math.floor(Math.log(value / least) / Math.log(ratio)));
}

function latencyOf(times: readonly number[]): Latency {
  const latency = emptyLatency();
  for (const time of times) addPlaces(latency, { count: 1, duration_place: placeOf(time), first_byte_place: null });
  return latency;
}

function exact(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * share) - 1)] ?? Number.NaN;
}

it('percentiles: at most 12 % off, whatever the calls took between 10 ms and 11 minutes', () => {
  let state = 11;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  for (const count of [1, 2, 3, 20, 21, 1000]) {
    for (const spread of [0, 0.5, 1, 4]) {
      const times = Array.from({ length: count }, () =>
        Math.min(690_000, Math.max(10, 10 ** (1 + random() * 4.8 * (spread / 4) + spread / 8))),
      );
      for (const share of [0.01, 0.5, 0.95, 1]) {
        const found = percentileOf(latencyOf(times).duration, share) ?? Number.NaN;
        // Allows for rounding to milliseconds.
        expect(Math.abs(found - exact(times, share)), `${count} ${spread} ${share}`).toBeLessThanOrEqual(0.12 * exact(times, share) + 0.5);
      }
    }
  }
});

it('percentiles: of added counts as of all calls together', () => {
  const parts = [[12, 14, 90_000], [], [450, 450, 451, 3_000], [10]];
  const sum = emptyLatency();
  for (const part of parts) addLatency(sum, latencyOf(part));
  expect(sum).toEqual(latencyOf(parts.flat()));
});

it('percentiles: nothing of nothing, and bounds for what is beyond the scale', () => {
  expect(percentileOf([], 0.5)).toBeNull();
  expect(percentileOf(latencyOf([0, 3]).duration, 0.5)).toBe(10);
  expect(percentileOf(latencyOf([9e6]).duration, 0.95)).toBe(700_649);
  // Calls without a first byte do not count.
  expect(latencyOf([5, 9e6]).first_byte).toEqual([]);
});
