import { expect, test } from 'vitest';
import { frameOf, placeOf } from './time-steps.ts';

const seconds = (text: string) => Date.parse(text) / 1000;
const hour = 3600;
const at = seconds('2026-11-20T12:00:00Z');

test.each([
  // Clocks are put back on October 25, and forward on March 29.
  ['2026-10-01T00:00+02:00', '2026-11-01T00:00+01:00', 31, 31 * 24 + 1],
  ['2026-03-01T00:00+01:00', '2026-04-01T00:00+02:00', 31, 31 * 24 - 1],
  ['2026-06-01T00:00+02:00', '2026-07-01T00:00+02:00', 30, 30 * 24],
])('a month of Berlin from %s to %s has its own days, no more', (from, to, days, hours) => {
  const query = { start_timestamp: seconds(from), end_timestamp: seconds(to), utc_offset: 60, time_zone: 'Europe/Berlin' };
  const frame = frameOf(query, 'day', at);
  expect(frame.start).toBe(seconds(from));
  expect(frame.end).toBe(seconds(to));
  expect(frame.steps).toHaveLength(days);
  expect((frame.end - frame.start) / hour).toBe(hours);
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
  for (const step of frame.steps) expect(clock.format(step * 1000)).toBe('00:00');
  const ends = [...frame.steps.slice(1), frame.end];
  for (let time = frame.start; time < frame.end; time += hour) {
    const place = placeOf(frame, time);
    expect(time).toBeGreaterThanOrEqual(frame.steps[place] ?? Number.NaN);
    expect(time).toBeLessThan(ends[place] ?? Number.NaN);
  }
  expect([placeOf(frame, frame.start - 1), placeOf(frame, frame.end)]).toEqual([-1, -1]);
});

test('weeks begin on Monday, also after the clocks were changed', () => {
  const query = { start_timestamp: seconds('2026-10-21T09:00Z'), end_timestamp: seconds('2026-11-04T09:00Z'), time_zone: 'Europe/Berlin' };
  const frame = frameOf(query, 'week', at);
  expect(frame.steps).toEqual(['2026-10-19T00:00+02:00', '2026-10-26T00:00+01:00', '2026-11-02T00:00+01:00'].map(seconds));
  expect(frame.end).toBe(seconds('2026-11-09T00:00+01:00'));
});

test('half hours west of UTC', () => {
  const query = {
    start_timestamp: seconds('2026-06-02T10:00Z'),
    end_timestamp: seconds('2026-06-03T10:00Z'),
    time_zone: 'America/St_Johns',
  };
  expect(frameOf(query, 'day', at).steps).toEqual(['2026-06-02T00:00-02:30', '2026-06-03T00:00-02:30'].map(seconds));
});
