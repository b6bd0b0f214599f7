import { expect, test } from 'vitest';
import { BillsSearch, daysOf } from './bills-search.ts';

test('bills-search: periods are whole days of UTC', () => {
  const now = Date.UTC(2026, 2, 1, 0, 30);
  expect(daysOf({ period: 'week' }, now)).toEqual({ from: '2026-02-23', to: '2026-03-01' });
  expect(daysOf({}, now)).toEqual({ from: '2026-01-30', to: '2026-03-01' });
  expect(daysOf({ period: 'month' }, now)).toEqual({ from: '2026-03-01', to: '2026-03-01' });
  expect(daysOf({ period: 'last_month' }, now)).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  expect(daysOf({ period: 'custom', from: '2026-01-05' }, now)).toEqual({ from: '2026-01-05' });
});

test('bills-search: an address with nonsense shows the usual list', () => {
  expect(BillsSearch.parse({ view: 'x', period: 5, from: '1 May', account: 'one', by: '', state: '<b>' })).toEqual({});
});
