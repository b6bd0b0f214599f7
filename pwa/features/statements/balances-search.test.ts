import { describe, expect, test } from 'vitest';
import { BalancesSearch, monthAfter, spanOfMonth } from './balances-search.ts';

const at = (year: number, month: number, day = 1) => Math.floor(new Date(year, month - 1, day).getTime() / 1000);
const now = at(2026, 11, 29) * 1000;

describe('balances-search', () => {
  test('a month begins and ends at midnight of the device', () => {
    expect(spanOfMonth({ month: '2026-02' }, now)).toEqual({ start: at(2026, 2), end: at(2026, 3), isCurrent: false });
    expect(spanOfMonth({ month: '2025-12' }, now)).toEqual({ start: at(2025, 12), end: at(2026, 1), isCurrent: false });
  });
  test('without a month, or with one to come, it is the current one', () => {
    const current = { start: at(2026, 11), end: at(2026, 12), isCurrent: true };
    for (const month of [undefined, '2026-11', '2031-01']) expect(spanOfMonth({ month }, now)).toEqual(current);
    for (const month of ['2026-13', 'x', 7]) expect(BalancesSearch.parse({ month }).month).toBeUndefined();
  });
  test('months follow each other over the year', () => {
    expect([monthAfter(at(2026, 1), -1), monthAfter(at(2025, 12), 1), monthAfter(at(2026, 3), 0)]).toEqual([
      '2025-12',
      '2026-01',
      '2026-03',
    ]);
  });
});
