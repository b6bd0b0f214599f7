import { describe, expect, test } from 'vitest';
import { Budget, Budgets, SiteBudgets } from '#shared/budgets.ts';
import { RateLimits, SiteRateLimits } from '#shared/rate-limits.ts';
import {
  areBudgetsRight,
  type BudgetDraft,
  budgetDrafts,
  budgetProblems,
  budgetsOf,
  changesBudgets,
  newBudget,
  newRate,
  rateDrafts,
  rateProblems,
  ratesOf,
  siteBudgetDrafts,
  siteBudgetsText,
  siteRateDrafts,
  siteRatesText,
} from './limit-drafts.ts';

const month = Budget.parse({
  id: 'm1',
  amount: 60_000_000,
  period: 'month',
  starts: 'calendar',
  time_zone: 'Europe/Berlin',
  at_end: 'stop',
});
const draft = (change: Partial<BudgetDraft> = {}): BudgetDraft => ({ ...newBudget([], 'Asia/Shanghai'), amount: 500_000, ...change });

describe('limit-drafts', () => {
  test.each([
    ['a month by the calendar', month],
    ['five hours', { id: 'a', amount: 1, period: 'five_hours', starts: 'first_call', at_end: 'warn' }],
    ['once', { id: 'b', amount: 1, period: 'once', starts: 'calendar', at_end: 'stop', name: 'trial' }],
    ['a week from the first call', { id: 'c', amount: 5, period: 'week', starts: 'first_call', at_end: 'stop', notes: [90] }],
    ['a day without notes', { id: 'd', amount: 5, period: 'day', starts: 'calendar', at_end: 'stop', notes: [] }],
    [
      'cheaper models',
      { id: 'e', amount: 5, period: 'day', starts: 'calendar', at_end: 'cheaper', cheaper_models: { a: 'b' }, models: ['a*'] },
    ],
  ])('%s is stored as it was read', (_name, stored) => {
    const budget = Budget.parse(stored);
    expect(budgetsOf(budgetDrafts([budget]))).toEqual([budget]);
    expect(changesBudgets(budgetDrafts([budget]), [budget])).toBe(false);
  });

  test('a new budget is by the calendar of this browser and stops, and has an id of its own', () => {
    const one = newBudget([], 'Asia/Shanghai');
    expect(one).toMatchObject({ period: 'month', starts: 'calendar', time_zone: 'Asia/Shanghai', at_end: 'stop', amount: '' });
    expect(one.id).toMatch(/^[a-z0-9]{8}$/);
    expect(newBudget([one], 'UTC').id).not.toBe(one.id);
    expect(Budgets.safeParse(budgetsOf([{ ...one, amount: 5 }])).success).toBe(true);
  });

  test('a time zone is stored for periods that follow the calendar only', () => {
    expect(budgetsOf([draft({ period: 'five_hours' })])[0]).toMatchObject({ starts: 'first_call' });
    for (const change of [{ period: 'five_hours' }, { period: 'once' }, { starts: 'first_call' }] as const)
      expect(budgetsOf([draft(change)])[0]).not.toHaveProperty('time_zone');
  });

  test.each([
    ['amount', 'amount_required', { amount: '' as const }],
    ['amount', 'amount_low', { amount: 0 }],
    ['time_zone', 'zone', { time_zone: 'Berlin' }],
    ['models', 'models', { models: ['a b'] }],
    ['models', 'models', { models: ['*a'] }],
    ['name', 'name_long', { name: 'x'.repeat(41) }],
    ['cheaper', 'cheaper_required', { at_end: 'cheaper' as const, cheaper: [{ from: 'a', to: '' }] }],
    ['cheaper', 'cheaper_required', { at_end: 'cheaper' as const }],
    [
      'cheaper',
      'cheaper_chain',
      {
        at_end: 'cheaper' as const,
        cheaper: [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'c' },
        ],
      },
    ],
  ])('a wrong %s: %s', (field, problem, change) => {
    expect(budgetProblems(draft(change))).toEqual({ [field]: problem });
    expect(areBudgetsRight([draft(), draft(change)])).toBe(false);
  });

  test('a budget without a problem is one that the server takes', () => {
    const drafts = [draft(), draft({ id: 'z', at_end: 'cheaper', cheaper: [{ from: ' gpt-5 ', to: 'gpt-5-mini' }], models: ['gpt-*'] })];
    expect(areBudgetsRight(drafts)).toBe(true);
    expect(Budgets.safeParse(budgetsOf(drafts)).success).toBe(true);
  });

  test('rate limits are stored as they were read; the window goes with meters that have one', () => {
    const limits = RateLimits.parse([
      { meter: 'requests', per: 'hour', amount: 600, models: ['gpt-5'] },
      { meter: 'parallel', amount: 20 },
    ]);
    expect(ratesOf(rateDrafts(limits))).toEqual(limits);
    expect(ratesOf([{ ...newRate([]), meter: 'output_tokens', amount: 9 }])).toEqual([{ meter: 'output_tokens', amount: 9 }]);
  });

  test('the second of two equal rate limits is wrong', () => {
    const first = { ...newRate([]), amount: 60 };
    const second = { ...newRate([first]), amount: 100 };
    expect(rateProblems(first, [first, second])).toEqual({});
    expect(rateProblems(second, [first, second])).toEqual({ meter: 'twice' });
    expect(rateProblems({ ...second, per: 'hour' }, [first, { ...second, per: 'hour' }])).toEqual({});
    expect(rateProblems({ ...second, groups: ['free'] }, [first, { ...second, groups: ['free'] }])).toEqual({});
  });

  test('limits of the site are texts that the setting takes', () => {
    const rate = { ...newRate([]), amount: 60, groups: ['free'] };
    const text = siteRatesText([rate]);
    expect(SiteRateLimits.parse(JSON.parse(text))).toEqual([
      { meter: 'requests', per: 'minute', amount: 60, groups: ['free'], counted: 'user' },
    ]);
    expect(siteRateDrafts(text)).toEqual([rate]);
    const budget = draft({ counted: 'all', models: ['gpt-5'] });
    expect(SiteBudgets.safeParse(JSON.parse(siteBudgetsText([budget]))).success).toBe(true);
    expect(siteBudgetDrafts(siteBudgetsText([budget]))).toEqual([budget]);
  });

  test('an amount that is not entered is none that the setting takes, and is read as none', () => {
    const text = siteRatesText([newRate([])]);
    expect(SiteRateLimits.safeParse(JSON.parse(text)).success).toBe(false);
    expect(siteRateDrafts(text)?.[0]?.amount).toBe('');
  });

  test.each(['', '[]'])('%j is the empty list, half a text is none', (text) => {
    expect(siteRateDrafts(text)).toEqual([]);
    expect(siteBudgetDrafts('[{"id"')).toBeUndefined();
  });
});
