import { expect, test } from 'vitest';
import { LogSearch } from './log-address.ts';
import { boundsOf, countFilters, dayWithin, exactModel, filtersOf, modelPattern, rangeOf } from './log-search.ts';

const now = new Date(2026, 10, 21, 14, 30, 15).getTime();
const at = (...parts: [number, number, number, number?]) =>
  Math.floor(new Date(parts[0], parts[1], parts[2], parts[3] ?? 0).getTime() / 1000);

test('log address: what makes no sense is left out', () => {
  expect(LogSearch.parse({ type: '9', range: 'ever', channel: 'x', p: '0', model: 'gpt', from: '12' })).toEqual({ model: 'gpt', from: 12 });
});

test('log address: ranges begin where people expect', () => {
  expect(boundsOf({ range: 'today' }, now)).toEqual({ start: at(2026, 10, 21) });
  expect(boundsOf({ range: 'week' }, now)).toEqual({ start: at(2026, 10, 15) });
  expect(boundsOf({ range: 'this_month' }, now)).toEqual({ start: at(2026, 10, 1) });
  expect(boundsOf({ range: 'last_month' }, now)).toEqual({ start: at(2026, 9, 1), end: at(2026, 10, 1) - 1 });
  const january = new Date(2027, 0, 31, 12).getTime();
  expect(boundsOf({ range: 'last_month' }, january)).toEqual({ start: at(2026, 11, 1), end: at(2027, 0, 1) - 1 });
  expect(boundsOf({ range: 'hour' }, now)).toEqual({ start: Math.floor(now / 1000) - 3600 });
  expect(boundsOf(rangeOf({ range: 'custom', to: 99 }), now)).toEqual({ start: undefined, end: 99 });
  expect(rangeOf({ from: 5, to: 9 })).toEqual({ range: 'today' });
});

test('log address: of two months side by side no call is in both', () => {
  const [september, october, november] = [at(2026, 8, 1), at(2026, 9, 1), at(2026, 10, 1)];
  expect(boundsOf({ range: 'custom', from: september, to: october }, now)).toEqual({ start: september, end: october - 1 });
  expect(boundsOf({ range: 'custom', from: october, to: november }, now)).toEqual({ start: october, end: november - 1 });
  // The end of a link from the dashboard is a second already.
  expect(boundsOf({ range: 'custom', from: october, to: november - 1 }, now)).toEqual({ start: october, end: november - 1 });
});

test('log address: a day is cut to the bounds of the list', () => {
  const noon = at(2026, 10, 21, 12);
  expect(dayWithin(noon, {})).toEqual({ start: at(2026, 10, 21), end: at(2026, 10, 22) - 1 });
  expect(dayWithin(noon, { start: noon - 60, end: noon + 60 })).toEqual({ start: noon - 60, end: noon + 60 });
});

test('log address: a model is a beginning, a whole name in quotes, or a pattern of its own', () => {
  expect(modelPattern('gpt-4o')).toBe('gpt-4o%');
  expect(modelPattern(exactModel('gpt-4o'))).toBe('gpt-4o');
  expect(modelPattern('%sonnet%')).toBe('%sonnet%');
  expect(modelPattern(undefined)).toBeUndefined();
});

test('log address: filters of administrators do not count for others', () => {
  const search = { user: 'mira', channel: 7, token: 'ide' };
  expect(countFilters(filtersOf(search, true))).toBe(3);
  expect(filtersOf(search, false)).not.toHaveProperty('user');
  expect(countFilters(filtersOf(search, false))).toBe(1);
});
