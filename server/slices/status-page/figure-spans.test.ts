import { expect, test } from 'vitest';
import { figureId, splitByDay } from './figure-spans.ts';

test('figure-spans: a time is split at midnight of UTC, whatever the clocks of a country do', () => {
  const midnight = Date.UTC(2026, 2, 29) / 1000;
  expect(splitByDay(midnight - 90, midnight + 30)).toEqual([
    { day: midnight - 86_400, seconds: 90 },
    { day: midnight, seconds: 30 },
  ]);
  // The nights in which Berlin and New York change their clocks have 24 hours.
  for (const day of [Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25), Date.UTC(2026, 2, 8)].map((time) => time / 1000))
    expect(splitByDay(day, day + 86_400)).toEqual([{ day, seconds: 86_400 }]);
  expect(splitByDay(midnight, midnight)).toEqual([]);
});

test('figure-spans: ids sort by time, also from nine digits to ten', () => {
  expect(figureId('s', 999_999_900, 'a') < figureId('s', 1_000_000_200, 'a')).toBe(true);
});
