// How a budget stands in its period: what is left, where an even pace would be, and when it ends at the present pace.
import type { BudgetState } from '#shared/budget-states.ts';
import { type BudgetPeriodName, usualNotes } from '#shared/budgets.ts';
import type { TightestBudget } from '#shared/tokens.ts';

const hour = 3600;
const day = 24 * hour;
/** Seconds of a period; a month by its middle. */
const lengths: Readonly<Record<BudgetPeriodName, number>> = { five_hours: 5 * hour, day, week: 7 * day, month: 30 * day, once: 0 };
/** Share of a period that has to pass before its pace says anything. */
const leastShare = 0.03;

export interface BudgetStanding {
  /** `idle`: no period has begun. `over`: the period that is known has ended meanwhile. */
  level: 'idle' | 'over' | 'ok' | 'low' | 'used_up';
  /** Share of the amount that is left, 0 to 1. */
  left: number;
  /** Share that an even pace would have left. Undefined: the period has no end. */
  pace: number | undefined;
  /** Unix seconds at which it ends at the pace of this period, if that is before the period does. */
  emptyAt: number | undefined;
}

type Standing = Pick<BudgetState, 'left' | 'amount' | 'starts_at' | 'ends_at'> & { budget: Pick<BudgetState['budget'], 'notes'> };

/** @param now unix seconds */
export function budgetStanding({ left, amount, starts_at: from, ends_at: until, budget }: Standing, now: number): BudgetStanding {
  if (from === 0) return { level: 'idle', left: 1, pace: undefined, emptyAt: undefined };
  if (until !== 0 && until <= now) return { level: 'over', left: 1, pace: undefined, emptyAt: undefined };
  const share = Math.min(1, Math.max(0, left / amount));
  const elapsed = now - from;
  const spent = amount - left;
  const isTelling = until !== 0 && elapsed >= (until - from) * leastShare && spent > 0 && left > 0;
  const emptyAt = isTelling ? now + (left / spent) * elapsed : Number.POSITIVE_INFINITY;
  return {
    level: left <= 0 ? 'used_up' : share <= lowShare(budget.notes) ? 'low' : 'ok',
    left: share,
    pace: until === 0 ? undefined : Math.min(1, Math.max(0, (until - now) / (until - from))),
    emptyAt: emptyAt < until ? Math.round(emptyAt) : undefined,
  };
}

/** The same of a token in a list, which says when its period ends only. */
export function tightestStanding(budget: TightestBudget, now: number): BudgetStanding {
  const until = budget.ends_at;
  return budgetStanding({ ...budget, starts_at: until === 0 ? 1 : until - lengths[budget.period], budget: {} }, now);
}

/** Share left at which the owner has been notified: the last time before all is used. */
function lowShare(notes: readonly number[] = usualNotes): number {
  const last = Math.max(0, ...notes.filter((percent) => percent < 100));
  return last === 0 ? 0 : (100 - last) / 100;
}
