import { expect, test } from 'vitest';
import { frameOf, placeOf } from './time-steps.ts';

const seconds = (text: string) => Date.parse(text) / 1000;
const hour = 3600;
const at = seconds('2026-11-20T12:00:00Z');

test.each([
  // Clocks are set back on October 25, and forward on March 29.
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

test.each([
  // The clock is set forward at 00:00: the day begins at 01:00 local time.
  ['America/Santiago', '2026-09-05', ['2026-09-05T04:00Z', '2026-09-06T04:00Z', '2026-09-07T03:00Z']],
  ['Atlantic/Azores', '2026-03-28', ['2026-03-28T01:00Z', '2026-03-29T01:00Z', '2026-03-30T00:00Z']],
  ['America/Havana', '2026-03-07', ['2026-03-07T05:00Z', '2026-03-08T05:00Z', '2026-03-09T04:00Z']],
  ['Africa/Cairo', '2026-04-23', ['2026-04-22T22:00Z', '2026-04-23T22:00Z', '2026-04-24T21:00Z']],
  ['Asia/Beirut', '2026-03-28', ['2026-03-27T22:00Z', '2026-03-28T22:00Z', '2026-03-29T21:00Z']],
  // The clock is set back at 24:00, and at 01:00: that hour belongs to the day.
  ['America/Santiago', '2026-04-04', ['2026-04-04T03:00Z', '2026-04-05T04:00Z', '2026-04-06T04:00Z']],
  ['America/Havana', '2026-10-31', ['2026-10-31T04:00Z', '2026-11-01T04:00Z', '2026-11-02T05:00Z']],
  // By half an hour, at 02:00.
  ['Australia/Lord_Howe', '2026-04-04', ['2026-04-03T13:00Z', '2026-04-04T13:00Z', '2026-04-05T13:30Z']],
  ['Australia/Lord_Howe', '2026-10-03', ['2026-10-02T13:30Z', '2026-10-03T13:30Z', '2026-10-04T13:00Z']],
])('days of %s around a change of the clock, from %s', (time_zone, _day, begins) => {
  const [start_timestamp = 0, , last = 0] = begins.map(seconds);
  const frame = frameOf({ start_timestamp, end_timestamp: last + 12 * hour, time_zone }, 'day', at);
  expect(frame.steps.map((time) => new Date(time * 1000).toISOString().replace(':00.000', ''))).toEqual(begins);
  const days = new Intl.DateTimeFormat('en-CA', { timeZone: time_zone, dateStyle: 'short' });
  for (const step of frame.steps) {
    expect(days.format(step * 1000)).not.toBe(days.format((step - 1) * 1000));
    expect(placeOf(frame, step)).toBe(frame.steps.indexOf(step));
    expect(placeOf(frame, step - 1)).toBe(frame.steps.indexOf(step) - 1);
  }
});

test('half hours west of UTC', () => {
  const query = {
    start_timestamp: seconds('2026-06-02T10:00Z'),
    end_timestamp: seconds('2026-06-03T10:00Z'),
    time_zone: 'America/St_Johns',
  };
  expect(frameOf(query, 'day', at).steps).toEqual(['2026-06-02T00:00-02:30', '2026-06-03T00:00-02:30'].map(seconds));
});
