import { expect, test } from 'vitest';
import type { Budget } from '#shared/budgets.ts';
import { periodAt } from './period-bounds.ts';

const at = (text: string) => Date.parse(text) / 1000;
const text = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

type Row = [string, Budget['period'], Budget['starts'], string, string, string, string];

test.each<Row>([
  ['a day', 'day', 'calendar', 'UTC', '2026-03-10T12:00:00Z', '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z'],
  ['its first second', 'day', 'calendar', 'UTC', '2026-03-10T00:00:00Z', '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z'],
  ['a day of another zone', 'day', 'calendar', 'Asia/Shanghai', '2026-03-10T17:00:00Z', '2026-03-10T16:00:00Z', '2026-03-11T16:00:00Z'],
  ['a zone of quarters', 'day', 'calendar', 'Asia/Kathmandu', '2026-03-10T17:00:00Z', '2026-03-09T18:15:00Z', '2026-03-10T18:15:00Z'],
  ['a day of 23 hours', 'day', 'calendar', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['a day of 25 hours', 'day', 'calendar', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['its repeated hour', 'day', 'calendar', 'Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['a midnight that is skipped', 'day', 'calendar', 'Africa/Cairo', '2026-04-24T03:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  [
    'an hour before midnight that repeats',
    'day',
    'calendar',
    'Africa/Cairo',
    '2026-10-29T21:30:00Z',
    '2026-10-28T21:00:00Z',
    '2026-10-29T22:00:00Z',
  ],
  ['a day that was skipped', 'day', 'calendar', 'Pacific/Apia', '2011-12-30T12:00:00Z', '2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z'],
  ['a week', 'week', 'calendar', 'UTC', '2026-03-15T23:59:59Z', '2026-03-09T00:00:00Z', '2026-03-16T00:00:00Z'],
  ['a week across months', 'week', 'calendar', 'UTC', '2026-03-01T12:00:00Z', '2026-02-23T00:00:00Z', '2026-03-02T00:00:00Z'],
  [
    'a week with a clock change',
    'week',
    'calendar',
    'America/New_York',
    '2026-03-10T12:00:00Z',
    '2026-03-09T04:00:00Z',
    '2026-03-16T04:00:00Z',
  ],
  ['a month', 'month', 'calendar', 'UTC', '2026-02-14T12:00:00Z', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
  ['February of a leap year', 'month', 'calendar', 'UTC', '2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['December', 'month', 'calendar', 'America/St_Johns', '2027-01-01T03:00:00Z', '2026-12-01T03:30:00Z', '2027-01-01T03:30:00Z'],
  ['five hours', 'five_hours', 'calendar', 'UTC', '2026-03-10T12:34:56Z', '2026-03-10T12:34:56Z', '2026-03-10T17:34:56Z'],
  ['a day from a call', 'day', 'first_call', 'Asia/Shanghai', '2026-03-10T12:34:56Z', '2026-03-10T12:34:56Z', '2026-03-11T12:34:56Z'],
  ['a month from a call', 'month', 'first_call', 'UTC', '2026-01-15T12:34:56Z', '2026-01-15T12:34:56Z', '2026-02-15T12:34:56Z'],
  ['a month from a 31st', 'month', 'first_call', 'UTC', '2026-01-31T12:34:56Z', '2026-01-31T12:34:56Z', '2026-02-28T12:34:56Z'],
  ['a month from December', 'month', 'first_call', 'UTC', '2026-12-31T12:34:56Z', '2026-12-31T12:34:56Z', '2027-01-31T12:34:56Z'],
])('period of a budget: %s', (_name, period, starts, zone, now, start, end) => {
  const { starts_at: from, ends_at: until } = periodAt({ period, starts, time_zone: zone }, at(now));
  expect([text(from), text(until)]).toEqual([start, end]);
});

test.each([
  ['Africa/Cairo', '2026-04-22'],
  ['Africa/Cairo', '2026-10-28'],
  ['America/Santiago', '2026-04-03'],
  ['America/Santiago', '2026-09-04'],
  ['America/Havana', '2026-10-30'],
  ['Australia/Lord_Howe', '2026-04-03'],
  ['Pacific/Apia', '2011-12-28'],
])('period of a budget: each moment around a clock change of %s (%s) is within its day, and days follow each other', (zone, from) => {
  let previous = 0;
  for (let now = at(`${from}T00:00:00Z`); now < at(`${from}T00:00:00Z`) + 4 * 86_400; now += 1800) {
    const day = periodAt({ period: 'day', starts: 'calendar', time_zone: zone }, now);
    expect(day.starts_at).toBeLessThanOrEqual(now);
    expect(day.ends_at).toBeGreaterThan(now);
    if (previous !== 0 && now >= previous) expect(day.starts_at).toBe(previous);
    previous = day.ends_at;
  }
});

test('period of a budget: a budget that is given once has no end', () => {
  expect(periodAt({ period: 'once', starts: 'calendar' }, 77)).toEqual({ starts_at: 77, ends_at: 0 });
});
