import { expect, test } from 'vitest';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import { createFormat } from '#pwa/ui/billing/format.ts';
import { chartParts, chartSteps, latencyOf, marksOf, wholeOf, withinPicture, worstOf } from './chart-steps.ts';
import { boundsOf, questionOf, stepsFor } from './dashboard-question.ts';

const format = createFormat({ language: 'en', quotaPerUnit: 500_000, inCurrency: true, timeZone: 'UTC' });
const sums = (quota: number, calls = 1, errors = 0): UsageSums => ({
  calls,
  errors,
  quota,
  prompt_tokens: 2 * quota,
  completion_tokens: quota,
  first_byte_ms: 10 * (calls - errors),
  duration_ms: 100 * (calls - errors),
});
const day = 86_400;
const start = 1_795_046_400;

function figuresOf(change: Partial<UsageFigures> = {}): UsageFigures {
  return {
    start,
    end: start + 2 * day,
    at: start + day + 7200,
    step: 'day',
    by: 'model',
    steps: [start, start + day],
    whole: [sums(100, 10, 1), sums(50, 5)],
    previous: [sums(60), sums(90)],
    previous_so_far: sums(75),
    totals: [
      { name: 'a', label: 'a', sums: sums(90, 9, 0) },
      { name: 'b', label: 'b', sums: sums(40, 4, 1) },
    ],
    others: { count: 3, sums: sums(20, 2) },
    series: [
      { name: 'a', sums: [sums(70), sums(20)] },
      { name: 'b', sums: [sums(20), sums(20)] },
    ],
    complete_from: null,
    ...change,
  };
}

test('chart-steps: the parts of every step add up to the whole, and the step that is not over is told', () => {
  const steps = chartSteps(figuresOf(), format);
  expect(steps.map((step) => step.parts)).toEqual([
    [70, 20, 10],
    [20, 20, 10],
  ]);
  expect(steps.map((step) => step.isOpen)).toEqual([false, true]);
  expect(steps.map((step) => step.end)).toEqual([start + day, start + 2 * day]);
  expect(steps[0]?.name).toBe(format.day(start));
});

test('chart-steps: a mark at the edge of a picture moves inwards until it is whole', () => {
  expect(withinPicture(200, { label: '12:00', width: 340 })).toBe(200);
  expect(withinPicture(336, { label: '00:00', width: 340 })).toBe(340 - 17.5);
  expect(withinPicture(336, { label: '11月30日', width: 340 })).toBe(340 - 26);
  expect(withinPicture(2, { label: '00:00', width: 340 })).toBe(17.5);
});

test('chart-steps: the rest stands for all that have no name of their own', () => {
  const parts = chartParts(figuresOf());
  expect(parts.map(({ name, count, sums: { quota, calls } }) => ({ name, count, quota, calls }))).toEqual([
    { name: 'a', count: 1, quota: 90, calls: 9 },
    { name: 'b', count: 1, quota: 40, calls: 4 },
    { name: undefined, count: 3, quota: 20, calls: 2 },
  ]);
  expect(chartParts(figuresOf({ others: { count: 0, sums: sums(0, 0) } }))).toHaveLength(2);
});

test('chart-steps: sums, change and where most failed', () => {
  const figures = figuresOf();
  expect(wholeOf(figures)).toMatchObject({ quota: 150, calls: 15, errors: 1 });
  expect(worstOf(figures.totals)?.name).toBe('b');
  expect(worstOf([])).toBeUndefined();
});

test('chart-steps: latency step by step, and gaps where nothing is known or an earlier version was asked', () => {
  const known = { duration: { p50: 1800, p95: 6400 }, first_byte: null };
  const missing = { duration: null, first_byte: null };
  const figures = figuresOf({ latency: { whole: known, steps: [missing, known] } });
  expect(latencyOf(figures)).toEqual(known);
  expect(chartSteps(figures, format).map((step) => step.latency)).toEqual([missing, known]);
  expect(latencyOf(figuresOf())).toEqual(missing);
  expect(chartSteps(figuresOf(), format).map((step) => step.latency)).toEqual([missing, missing]);
});

test('chart-steps: hours of one day are clock times, of several the days are marked', () => {
  const hour = 3600;
  const steps = Array.from({ length: 30 }, (_, index) => start - 3 * hour + index * hour);
  const hours = { step: 'hour' as const, start: start - 3 * hour, steps, whole: steps.map(() => sums(1)), previous: [], series: [] };
  const labels = chartSteps(figuresOf({ ...hours, end: start + 27 * hour }), format).map((step) => step.label);
  expect(labels.slice(2, 5)).toEqual(['23:00', format.dayKey(start).slice(5), '01:00']);
});

test('dashboard-question: the site says the usual step; who is no administrator asks about oneself', () => {
  const admin = { isAdmin: true, usualStep: 'hour' } as const;
  expect(questionOf({}, admin)).toMatchObject({ isAdmin: true, span: 'day', step: 'hour', by: 'model' });
  expect(questionOf({}, { isAdmin: true, usualStep: 'week' })).toMatchObject({ span: 'month', step: 'week' });
  expect(questionOf({ by: 'user', user: 'mira' }, admin)).toMatchObject({ by: 'model', user: 'mira' });
  expect(questionOf({ own: true, by: 'channel', user: 'mira' }, admin)).toMatchObject({ isAdmin: false, by: 'model', user: undefined });
  expect(questionOf({ by: 'user' }, { isAdmin: false, usualStep: 'hour' })).toMatchObject({ isAdmin: false, by: 'model' });
});

test('dashboard-question: a week is seven local days up to now; long spans have no hours', () => {
  const now = new Date(2026, 10, 21, 14, 30).getTime();
  const week = questionOf({ span: 'week' }, { isAdmin: false, usualStep: 'hour' });
  const bounds = boundsOf(week, now);
  expect(new Date(bounds.start * 1000)).toEqual(new Date(2026, 10, 15));
  expect(bounds.end).toBe(Math.floor(now / 1000));
  expect(stepsFor(week, now)).toEqual(['hour', 'day']);
  const thisMonth = boundsOf({ ...week, span: 'this_month' }, now);
  expect([new Date(thisMonth.start * 1000), thisMonth.end]).toEqual([new Date(2026, 10, 1), bounds.end]);
  const last = boundsOf({ ...week, span: 'last_month' }, now);
  expect([new Date(last.start * 1000), new Date((last.end + 1) * 1000)]).toEqual([new Date(2026, 9, 1), new Date(2026, 10, 1)]);
  const month = questionOf({ span: 'month' }, { isAdmin: false, usualStep: 'hour' });
  expect(stepsFor(month, now)).toEqual(['day', 'week']);
  const long = questionOf({ span: 'custom', from: bounds.end - 200 * day }, { isAdmin: false, usualStep: 'hour' });
  expect(boundsOf(long, now).isLong).toBe(true);
});

test('marks below a picture stand at one distance, on hours that it divides and at the beginnings of days', () => {
  const stepsOf = (count: number, seconds: number, firstHour = 0) =>
    Array.from({ length: count }, (_, place) => ({
      start: start + place * seconds,
      end: start + (place + 1) * seconds,
      hour: seconds === 3600 ? (firstHour + place) % 24 : 0,
    }));
  // From 10:00 to 09:00: 12:00, 16:00 and so on to 08:00.
  expect(marksOf(stepsOf(24, 3600, 10))).toEqual([2, 6, 10, 14, 18, 22]);
  expect(marksOf(stepsOf(5, 3600, 10))).toEqual([0, 1, 2, 3, 4]);
  // A week by the hour, begun at 10:00: each midnight.
  expect(marksOf(stepsOf(168, 3600, 10))).toEqual([14, 38, 62, 86, 110, 134, 158]);
  expect(marksOf(stepsOf(7, day))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(marksOf(stepsOf(30, day))).toEqual([0, 5, 10, 15, 20, 25]);
  expect(marksOf(stepsOf(365, day)).length).toBeLessThanOrEqual(7);
  expect(marksOf([])).toEqual([]);
});
