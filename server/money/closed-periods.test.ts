import { expect, it } from 'vitest';
import { nextPeriod, periodOf } from './closed-periods.ts';

const at = (text: string) => Date.parse(text) / 1000;

it('months of every time zone begin with a period', () => {
  for (let offset = -12 * 4; offset <= 14 * 4; offset += 1) {
    for (const month of ['2026-03-01', '2026-12-01', '2028-02-01']) {
      const start = at(`${month}T00:00:00Z`) - offset * 900;
      expect(periodOf(start)).toBe(start);
      expect(nextPeriod(start)).toBe(start);
    }
  }
});

it('a moment belongs to the last period that began, and periods follow each other without a gap', () => {
  expect(periodOf(at('2026-03-15T08:00:00Z'))).toBe(at('2026-03-01T12:00:00Z'));
  expect(nextPeriod(at('2026-03-15T08:00:00Z'))).toBe(at('2026-03-31T10:00:00Z'));
  expect(periodOf(at('2026-03-31T09:59:59Z'))).toBe(at('2026-03-01T12:00:00Z'));
  expect(periodOf(at('2026-03-31T10:00:01Z'))).toBe(at('2026-03-31T10:00:00Z'));
  expect(periodOf(at('2026-03-01T11:59:59Z'))).toBe(at('2026-03-01T11:45:00Z'));
  expect(nextPeriod(at('2026-03-01T11:59:59Z'))).toBe(at('2026-03-01T12:00:00Z'));
  let start = periodOf(at('2026-01-20T00:00:00Z'));
  let count = 0;
  while (start < at('2026-03-20T00:00:00Z')) {
    const next = nextPeriod(start + 1);
    expect(periodOf(next - 1)).toBe(start);
    start = next;
    count += 1;
  }
  expect(count).toBe(2 + 2 * 104 + 1);
});
