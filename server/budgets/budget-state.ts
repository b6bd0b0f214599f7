// What is left of budgets, for the console and for callers.
import type { BudgetState } from '#shared/budget-states.ts';
import type { TightestBudget } from '#shared/tokens.ts';
import { hasLimits } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import type { BudgetPeriodRecord } from '#server/db/records/budget-period.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { balanceOf } from '#server/money/account.ts';
import { type BoundBudget, budgetsOfToken } from './bound-budgets.ts';
import { isCurrent, latestPeriod } from './periods.ts';

type Reading = Pick<AppContext, 'db' | 'now'>;

/** State of a budget by its latest period; edits that no call has applied yet are included. @param now unix seconds */
export function stateOf(bound: BoundBudget, latest: BudgetPeriodRecord | null, now: number): Omit<BudgetState, 'is_editable'> {
  const { key, scope, budget, terms } = bound;
  const { amount } = budget;
  const known = { key, scope, budget };
  if (latest === null || !isCurrent(latest, now) || latest.terms !== terms)
    return { ...known, amount, left: amount, used: 0, calls: 0, refused: 0, starts_at: 0, ends_at: 0 };
  const { used_quota: used, base, calls, refused, starts_at, ends_at } = latest;
  const left = balanceOf(latest) + amount - base;
  return { ...known, amount: left + used, left, used, calls, refused, starts_at, ends_at };
}

export async function readState(context: Reading, bound: BoundBudget): Promise<Omit<BudgetState, 'is_editable'>> {
  return stateOf(bound, await latestPeriod(context, bound.key), Math.floor(context.now() / 1000));
}

/** Returns the budget of each token with the least share left, by its id. Reads once for all; nothing if none has budgets. */
export async function tightestBudgets({ db, now }: Reading, tokens: readonly TokenRecord[]): Promise<Map<number, TightestBudget>> {
  const tightest = new Map<number, TightestBudget>();
  const limited = tokens.filter((token) => hasLimits(token)).map((token) => ({ id: token.id, bounds: budgetsOfToken(token) }));
  const keys = limited.flatMap(({ bounds }) => bounds.map(({ key }) => key));
  if (keys.length === 0) return tightest;
  const periods = await db.collection('budget_periods').find({ key: { in: keys }, active: 1 }, { sort: [['id', 1]] });
  const latest = new Map(periods.map((period) => [period.key, period]));
  for (const { id, bounds } of limited) {
    const states = bounds.map((bound) => stateOf(bound, latest.get(bound.key) ?? null, Math.floor(now() / 1000)));
    const [first] = states.toSorted((a, b) => a.left / a.amount - b.left / b.amount);
    if (first !== undefined)
      tightest.set(id, { left: first.left, amount: first.amount, period: first.budget.period, ends_at: first.ends_at });
  }
  return tightest;
}
