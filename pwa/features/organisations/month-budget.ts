// How a monthly budget stands by what was used since the first of the month (UTC), as organisations count it.
import type { Budget } from '#shared/budgets.ts';
import { type BudgetStanding, budgetStanding } from '#pwa/records/limits/budget-standing.ts';

export interface MonthBudget {
  budget: Budget;
  /** Quota. */
  left: number;
  standing: BudgetStanding;
}

/** Returns the tightest of the monthly budgets of all models; undefined if there is none, or the use is unknown. @param now milliseconds */
export function monthBudgetOf(
  { budgets = [], used_quota: used }: { budgets?: readonly Budget[] | undefined; used_quota?: number | undefined },
  now: number,
): MonthBudget | undefined {
  const monthly = budgets.filter(({ period, starts, models }) => period === 'month' && starts === 'calendar' && models === undefined);
  const [budget] = monthly.toSorted((one, other) => one.amount - other.amount);
  if (budget === undefined || used === undefined) return undefined;
  const date = new Date(now);
  const month = (further: number): number => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further) / 1000;
  const left = budget.amount - used;
  const standing = budgetStanding({ left, amount: budget.amount, starts_at: month(0), ends_at: month(1), budget }, now / 1000);
  return { budget, left, standing };
}
