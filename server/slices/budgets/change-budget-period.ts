// Raises and resets of a budget's current period by people.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { type BoundBudget, storedBudget } from '#server/budgets/bound-budgets.ts';
import { closePeriod, currentPeriod, type PeriodContext } from '#server/budgets/periods.ts';

/** Adds to the current period, once per `ref`; opens it if needed. */
export async function raiseBudget(
  context: PeriodContext,
  bound: BoundBudget,
  { amount, ref, actorId }: { amount: number; ref: string; actorId: number },
): Promise<void> {
  const { db, ledger, changes } = context;
  const named = `budget:${bound.key}:raise:${ref}`;
  if ((await db.collection('ledger').count({ ref: named }, 1)) > 0) return;
  const period = await currentPeriod(context, bound);
  if (period === null) throw new AppError('not_found');
  await ledger.change({ account: 'budget', id: period.id, amount, ref: named, kind: 'budget_raise', actorId });
  await changes.announce('budget', bound.key);
}

/**
 * Ends the current period, once per `ref`. One that has ended already gets the reference only. Of concurrent requests, a later one may find the period that
 * calls have opened since the earlier one: the unique index refuses it the reference.
 */
export async function resetBudget(context: PeriodContext, bound: BoundBudget, ref: string): Promise<void> {
  const { db, now } = context;
  const periods = db.collection('budget_periods');
  const latest = await periods.first({ key: bound.key, closed_at: { exists: false } }, { sort: [['number', -1]] });
  if (latest === null) return;
  const seconds = Math.floor(now() / 1000);
  try {
    await closePeriod(context, latest, latest.ends_at === 0 ? seconds : Math.min(seconds, latest.ends_at), {
      reset_as: `${bound.key} ${ref}`,
    });
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
  }
}

/** @throws {AppError} `not_found` */
export async function boundBudget(context: Pick<AppContext, 'db'>, key: string): Promise<BoundBudget> {
  const bound = await storedBudget(context, key);
  if (bound === null) throw new AppError('not_found');
  return bound;
}
