import { describe, expect, test } from 'vitest';
import type { Budget } from '#shared/budgets.ts';
import { monthBudgetOf } from './month-budget.ts';

const budget = (amount: number, fields: Partial<Budget> = {}): Budget => ({
  id: `b${amount}`,
  amount,
  period: 'month',
  starts: 'calendar',
  at_end: 'stop',
  ...fields,
});
const middle = Date.UTC(2026, 10, 16);

describe('month budget', () => {
  test('is the tightest of those of all models, with what an even pace would have left', () => {
    const found = monthBudgetOf({ budgets: [budget(900), budget(200, { models: ['gpt-4o'] }), budget(400)], used_quota: 100 }, middle);
    expect(found).toMatchObject({ left: 300, standing: { level: 'ok', left: 0.75, pace: 0.5 } });
    expect(monthBudgetOf({ budgets: [budget(400)], used_quota: 500 }, middle)).toMatchObject({
      left: -100,
      standing: { level: 'used_up' },
    });
  });

  test('is unknown without one, and to who reads no usage', () => {
    expect(monthBudgetOf({ budgets: [budget(10, { period: 'day' })], used_quota: 1 }, middle)).toBeUndefined();
    expect(monthBudgetOf({ budgets: [budget(10)] }, middle)).toBeUndefined();
  });
});
