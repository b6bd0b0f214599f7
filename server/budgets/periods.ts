// Periods of budgets, each an account of the ledger: opened by the first call, adjusted by edits of the budget, closed by a reset. Every step is one
// conditional write, so of several processes one does it. The stored budget decides about edits, because callers' records may be cached.
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { BudgetPeriodRecord } from '#server/db/records/budget-period.ts';
import { emptyMoney } from '#server/money/account.ts';
import { type BoundBudget, storedBudget } from './bound-budgets.ts';
import { periodAt } from './period-bounds.ts';

export type PeriodContext = Pick<AppContext, 'db' | 'ledger' | 'changes' | 'now'>;

/** Periods of one key that are stored. */
export const mostPeriods = 400;
/** Concurrent changes after which a call fails. */
const mostTries = 50;

/** The latest period of the key; null if there is none. */
export async function latestPeriod({ db }: Pick<AppContext, 'db'>, key: string): Promise<BudgetPeriodRecord | null> {
  return await db.collection('budget_periods').first({ key }, { sort: [['number', -1]] });
}

/** After a clock step back, a period that begins later is the current one. @param now unix seconds */
export function isCurrent({ closed_at: closed, ends_at: end }: BudgetPeriodRecord, now: number): boolean {
  return closed === undefined && (end === 0 || now < end);
}

/**
 * Returns the current period, which includes the budget's amount; opens it if needed. Null if the budget was removed.
 * @throws {DatabaseUnavailable}
 */
export async function currentPeriod(context: PeriodContext, bound: BoundBudget): Promise<BudgetPeriodRecord | null> {
  let known = bound;
  let isCertain = false;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const now = Math.floor(context.now() / 1000);
    const latest = await latestPeriod(context, bound.key);
    const isOpen = latest !== null && isCurrent(latest, now);
    if (isOpen && latest.terms === known.terms && latest.base === known.budget.amount) return latest;
    if (!isCertain) {
      const stored = await storedBudget(context, bound.key);
      if (stored === null) {
        if (isOpen) await closePeriod(context, latest, now);
        return null;
      }
      known = stored;
      isCertain = true;
      continue;
    }
    if (!isOpen) {
      const opened = await openPeriod(context, known, { latest, now });
      if (opened !== null) return opened;
    } else if (latest.terms === known.terms) await adjust(context, latest, known.budget.amount);
    else await closePeriod(context, latest, now);
    // What another process has changed meanwhile is read again.
    isCertain = false;
  }
  throw new Error('The period of a budget is changed all the time');
}

/** Returns null if another process has opened it. */
async function openPeriod(
  { db }: PeriodContext,
  { key, budget, terms, userId, tokenId }: BoundBudget,
  { latest, now }: { latest: BudgetPeriodRecord | null; now: number },
): Promise<BudgetPeriodRecord | null> {
  const bounds = periodAt(budget, now);
  const number = (latest?.number ?? 0) + 1;
  const record: BudgetPeriodRecord = {
    ...emptyMoney(),
    id: await db.nextId('budget_periods'),
    key,
    number,
    user_id: userId,
    token_id: tokenId,
    terms,
    ...bounds,
    // After an early end, the rest of the calendar's period.
    starts_at: Math.max(bounds.starts_at, Math.min(latest?.closed_at ?? 0, now)),
    opened: budget.amount,
    base: budget.amount,
    revision: 0,
    quota: budget.amount,
    used_quota: 0,
    calls: 0,
    refused: 0,
    active: 1,
  };
  try {
    await db.collection('budget_periods').insert(record);
  } catch (failure) {
    if (failure instanceof UniqueConflict) return null;
    throw failure;
  }
  if (number > mostPeriods) await removePeriods({ db }, key, number - mostPeriods);
  return record;
}

/** Removes ended periods up to that number, and their ledger entries. */
async function removePeriods({ db }: Pick<AppContext, 'db'>, key: string, upTo: number): Promise<void> {
  const old = await db.collection('budget_periods').find({ key, number: { lte: upTo }, active: { exists: false } }, { limit: mostPeriods });
  for (const { id } of old) await removePeriod({ db }, id);
}

export async function removePeriod({ db }: Pick<AppContext, 'db'>, id: number): Promise<void> {
  if ((await db.collection('budget_periods').take({ id, active: { exists: false } })) === null) return;
  await db.collection('ledger').remove({ account: 'budget', account_id: id });
}

/** Adds the difference to the edited amount. The entry of each edit has one reference, so of several processes one decides about its amount. */
async function adjust({ db, ledger, changes }: PeriodContext, period: BudgetPeriodRecord, amount: number): Promise<void> {
  const { id, key, base, revision } = period;
  const ref = `budget:${id}:edit:${revision + 1}`;
  const entry = await ledger.open({ account: 'budget', id, amount: amount - base, used: 0, ref, kind: 'budget_edit', actorId: 0 });
  const set = { base: base + entry.amount, revision: revision + 1 };
  await db.collection('budget_periods').patch({ id, revision }, { set });
  if (entry.amount < 0) await changes.announce('lease', `budget:${id}`);
  await changes.announce('budget', key);
}

/** Ends the period early; calls that run stay charged to it. */
export async function closePeriod(
  { db, changes }: Pick<PeriodContext, 'db' | 'changes'>,
  { id, key }: BudgetPeriodRecord,
  now: number,
  set: { reset_as?: string } = {},
): Promise<boolean> {
  const closed = await db.collection('budget_periods').patch({ id, closed_at: { exists: false } }, { set: { closed_at: now, ...set } });
  await changes.announce('budget', key);
  return closed !== null;
}
