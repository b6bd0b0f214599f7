// Ends the work on periods: an ended one is not searched for leases any more, and is removed long after. One without an end ends with its budget, which may
// have gone with its token, member or team: no call looks for it again.
import type { AppContext } from '#server/context.ts';
import { storedBudget } from './bound-budgets.ts';
import { closePeriod, removePeriod } from './periods.ts';

/** Seconds after its end at which no call is charged to a period but those that hold a lease; and of its retention. */
const restSeconds = 24 * 3600;
const retentionSeconds = 400 * 24 * 3600;
const mostAtOnce = 1_000;

export async function sweepPeriods({ db, now, changes }: Pick<AppContext, 'db' | 'now' | 'changes'>): Promise<void> {
  const periods = db.collection('budget_periods');
  const seconds = Math.floor(now() / 1000);
  for await (const period of periods.each({ active: 1, ends_at: 0, closed_at: { exists: false } })) {
    if ((await storedBudget({ db }, period.key)) === null) await closePeriod({ db, changes }, period, seconds);
  }
  const rested = { or: [{ ends_at: { gt: 0, lt: seconds - restSeconds } }, { closed_at: { lt: seconds - restSeconds } }] };
  for await (const period of periods.each({ active: 1, ...rested })) {
    const { id, leases, quota, used_quota } = period;
    if (Object.keys(leases).length > 0) continue;
    await periods.patch({ id, active: 1, quota, used_quota }, { unset: ['active'] });
  }
  // In the order of their beginnings; those that have not ended are not removed.
  const old = await periods.find({ starts_at: { lt: seconds - retentionSeconds }, active: { exists: false } }, { limit: mostAtOnce });
  for (const { id, ends_at: end, closed_at: closed = end } of old) if (closed < seconds - retentionSeconds) await removePeriod({ db }, id);
}
