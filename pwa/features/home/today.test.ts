import { expect, test } from 'vitest';
import type { UsageSums } from '#shared/dashboard.ts';
import { hoursOfToday, sumsOfToday } from './today.ts';

const sums = (quota: number, calls = quota, errors = 0): UsageSums => ({
  calls,
  errors,
  quota,
  prompt_tokens: 0,
  completion_tokens: 0,
  first_byte_ms: 0,
  duration_ms: 0,
});
const hour = 3600;
const midnight = 1_795_046_400;
const tomorrow = midnight + 24 * hour;

function figures(until: number) {
  const steps: number[] = [];
  for (let start = midnight - 24 * hour; start <= until; start += hour) steps.push(start);
  return { steps, at: until, whole: steps.map((start) => (start < midnight ? sums(2) : sums(3, 3, start === midnight + hour ? 2 : 0))) };
}

test('today: 24 places, those to come are empty, yesterday stands beside each', () => {
  const hours = hoursOfToday(figures(midnight + 2 * hour + 60), midnight, tomorrow);
  expect(hours).toHaveLength(24);
  expect(hours.filter(({ today }) => today !== undefined)).toHaveLength(3);
  expect(hours.filter(({ isNow }) => isNow).map(({ start }) => start)).toEqual([midnight + 2 * hour]);
  expect(hours.every(({ yesterday }) => yesterday.quota === 2)).toBe(true);
});

test.each([
  [23, 24],
  [25, 24],
  [24, 23],
  [24, 25],
])('today: after a day of %i hours, with %i of its own', (before, own) => {
  const steps = Array.from({ length: before + 2 }, (_, index) => midnight + (index - before) * hour);
  const at = midnight + 1.5 * hour;
  const hours = hoursOfToday({ steps, at, whole: steps.map((_, index) => sums(index)) }, midnight, midnight + own * hour);
  expect(hours.map(({ start }) => start)).toEqual(Array.from({ length: own }, (_, index) => midnight + index * hour));
  expect(hours.map(({ yesterday }) => yesterday.quota)).toEqual(Array.from({ length: own }, (_, index) => (index < before ? index : 0)));
  expect(hours.slice(0, 3).map(({ today }) => today?.quota)).toEqual([before, before + 1, undefined]);
});

test('today: compared with yesterday until the same time of day, the hour that is not over in its part', () => {
  expect(sumsOfToday(hoursOfToday(figures(midnight + 2.5 * hour), midnight, tomorrow), midnight + 2.5 * hour)).toMatchObject({
    quota: 9,
    calls: 9,
    errors: 2,
    before: { quota: 5, calls: 5 },
    worst: { start: midnight + hour },
  });
  const first = sumsOfToday(hoursOfToday(figures(midnight + 5), midnight, tomorrow), midnight + 5);
  expect(first).toMatchObject({ quota: 3, before: { quota: 0, calls: 0 }, worst: undefined });
});

test('today: within the first hour of a day yesterday is no measure', () => {
  const busy = figures(midnight);
  const before = busy.whole.map(() => sums(7_200));
  const measured = (at: number) => sumsOfToday(hoursOfToday({ ...busy, at, whole: before }, midnight, tomorrow), at).before;
  expect(measured(midnight + hour - 1)).toEqual({ quota: 0, calls: 0 });
  expect(measured(midnight + hour)).toEqual({ quota: 7_200, calls: 7_200 });
});

test('today: what is kept of yesterday shows nothing of today', () => {
  const hours = hoursOfToday(figures(midnight - hour), midnight, tomorrow);
  expect(hours.every(({ today }) => today === undefined)).toBe(true);
  expect(sumsOfToday(hours, midnight - hour).quota).toBe(0);
});
