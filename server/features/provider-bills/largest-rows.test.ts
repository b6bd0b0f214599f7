import { expect, it } from 'vitest';
import type { DriftRow } from '#shared/provider-bills.ts';
import { largestFirst, LargestRows } from './largest-rows.ts';

it('largest-rows: the page of a long period is that of all rows, and few are in memory', () => {
  const day = (index: number): DriftRow[] =>
    Array.from({ length: 100 }, (_, at) => ({
      day: `day ${String(index).padStart(3, '0')}`,
      account_id: 1,
      account_name: 'Main',
      model: `model-${at}`,
      ours: {},
      billed: {},
      state: 'over',
      difference: String(((index * 37 + at * 91) % 211) - 100),
    }));
  const days = Array.from({ length: 200 }, (_, index) => day(index));
  const largest = new LargestRows(50);
  let held = 0;
  for (const rows of days) {
    largest.add(rows);
    held = Math.max(held, largest.held);
  }
  expect(held).toBeLessThanOrEqual(100);
  expect(largest.total).toBe(20_000);
  expect(largest.largest()).toEqual(largestFirst(days.flat()).slice(0, 50));
});
