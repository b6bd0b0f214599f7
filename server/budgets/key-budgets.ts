// Budgets that bind a key, as its holder may see them.
import type { BudgetState } from '#shared/budget-states.ts';
import type { AppContext } from '#server/context.ts';
import type { Payer } from '#server/money/budgets.ts';
import { boundBudgets, isOfMember } from './bound-budgets.ts';
import { readState } from './budget-state.ts';

export type KeyBudget = Omit<BudgetState, 'is_editable'>;

/**
 * What all callers together spend is for administrators.
 * @param seesAccount whether the holder may see the usage of the account; if not, only budgets of the token and its member are returned
 */
export async function keyBudgets(
  context: Pick<AppContext, 'db' | 'now' | 'settings'>,
  payer: Payer,
  seesAccount: boolean,
): Promise<KeyBudget[]> {
  const all = boundBudgets(payer, context.settings.get('SiteBudgets')).filter(({ userId }) => userId !== 0);
  const bounds = seesAccount ? all : all.filter(isOfMember);
  return await Promise.all(bounds.map((bound) => readState(context, bound)));
}

/** Returns the budget of all models with the least left, at whose end calls are refused; undefined if there is none. */
export function tightestOf(budgets: readonly KeyBudget[]): KeyBudget | undefined {
  const [tightest] = budgets
    .filter(({ budget }) => budget.at_end === 'stop' && budget.models === undefined)
    .toSorted((one, other) => one.left - other.left);
  return tightest;
}
