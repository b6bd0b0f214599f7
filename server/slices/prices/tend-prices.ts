// Jobs: the schedule of syncs, and planned changes whose time has come.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { alertOfPricePlans } from '#server/notify/notifications.ts';
import { applyEntries } from './apply-entries.ts';
import { mayApplyPlan, returnToReview } from './plan-author.ts';
import { runSync } from './run-sync.ts';

const hourSeconds = 3_600;
const mostPlans = 1_000;

export async function syncPrices(context: AppContext): Promise<void> {
  const { db, now, settings } = context;
  const interval = settings.get('PriceSyncHours') * hourSeconds;
  if (interval === 0 || settings.get('PriceSyncUrl') === '') return;
  const runs = await db.collection('price_syncs').find({}, { sort: [['id', -1]], limit: 50 });
  const newest = runs.find(({ trigger }) => trigger === 'schedule');
  const at = Math.floor(now() / 1000);
  const wait = newest?.state === 'failed' ? Math.min(hourSeconds, interval) : interval;
  // The clock may have been set back.
  if (newest !== undefined && newest.started_at <= at && at - newest.started_at < wait) return;
  await runSync(context, { trigger: 'schedule', userId: 0 });
}

/** Changes of one time, person and catalogue are one save. Those of a person who may not change prices any more wait for a review. */
export async function applyPlans(context: AppContext): Promise<void> {
  const { db, now } = context;
  const plans = db.collection('price_plans');
  const due = await plans.find({ state: 'waiting', at: { lte: Math.floor(now() / 1000) } }, { sort: [['at', 1]], limit: mostPlans });
  for (const group of Map.groupBy(due, ({ at, user_id, source }) => `${at} ${user_id} ${source}`).values()) {
    const [{ user_id, source } = { user_id: 0, source: '' }] = group;
    // Of several plans for one model at one time, the later one counts.
    const latest = [...new Map(group.map((plan) => [plan.model, plan])).values()];
    const actor = (await db.collection('users').get(user_id)) ?? undefined;
    if (!latest.every((plan) => mayApplyPlan(actor, plan)) || actor === undefined) {
      await returnToReview(context, latest);
      await plans.remove({ id: { in: group.map(({ id }) => id) } });
      continue;
    }
    const { done, changed } = await applyEntries(context, latest, { actor, reason: source === '' ? {} : { source } }).catch(
      (failure: unknown) => {
        // What the settings refuse would be refused again, and those that follow are not to wait for it.
        if (!(failure instanceof AppError) || failure.code === 'database_unavailable') throw failure;
        context.log.warn({ code: failure.code, models: latest.map(({ model }) => model) }, 'planned prices were refused');
        return { done: [], changed: latest.map(({ model }) => model) };
      },
    );
    const isDone = new Set(done);
    for (const { id, model } of group) if (isDone.has(model)) await plans.remove({ id });
    if (changed.length === 0) continue;
    await plans.patchAll({ id: { in: group.map(({ id }) => id) }, state: 'waiting' }, { set: { state: 'changed' } });
    await alertOfPricePlans(context, { plan: group[0]?.id ?? 0, models: changed });
  }
}
