import { describe, expect, test } from 'vitest';
import { budgetStanding, tightestStanding } from './budget-standing.ts';

const day = 86_400;
const at = { starts_at: 1000, ends_at: 1000 + 10 * day, amount: 100, budget: {} };

describe('budget-standing', () => {
  test('an even pace leaves the share of the period that is left', () => {
    expect(budgetStanding({ ...at, left: 70 }, 1000 + 3 * day)).toEqual({ level: 'ok', left: 0.7, pace: 0.7, emptyAt: undefined });
  });

  test('spent too fast, it ends before its period', () => {
    expect(budgetStanding({ ...at, left: 40 }, 1000 + 3 * day).emptyAt).toBe(1000 + 5 * day);
    expect(budgetStanding({ ...at, left: 90 }, 1000 + 3 * day).emptyAt).toBeUndefined();
  });

  test('the first minutes of a period say nothing about its pace', () => {
    expect(budgetStanding({ ...at, left: 90 }, 1000 + 600).emptyAt).toBeUndefined();
  });

  test.each([
    [20, undefined, 'low'],
    [21, undefined, 'ok'],
    [10, [50, 90, 100], 'low'],
    [11, [50, 90, 100], 'ok'],
    [1, [100], 'ok'],
    [0, undefined, 'used_up'],
    [-5, undefined, 'used_up'],
  ])('%i of 100 left, notified at %j: %s', (left, notes, level) => {
    expect(budgetStanding({ ...at, left, budget: { notes } }, 1000 + day).level).toBe(level);
  });

  test('no period has begun, or the one that is known has ended: nothing is measured', () => {
    expect(budgetStanding({ ...at, left: 100, starts_at: 0, ends_at: 0 }, 5000).level).toBe('idle');
    expect(budgetStanding({ ...at, left: 3 }, at.ends_at).level).toBe('over');
  });

  test('a budget without an end has no pace', () => {
    expect(budgetStanding({ ...at, left: 50, ends_at: 0 }, 9e9)).toEqual({ level: 'ok', left: 0.5, pace: undefined, emptyAt: undefined });
  });

  test('of a token in a list the beginning follows from the period', () => {
    const standing = tightestStanding({ left: 50, amount: 100, period: 'day', ends_at: 9 * day }, 8.25 * day);
    expect(standing.pace).toBeCloseTo(0.75);
  });
});
