// A planned change is its author's: it is applied only if the author could apply it at that time; if not, it becomes a review.
import { isSettingKey, mayWriteSetting } from '#shared/settings.ts';
import { UserStatus } from '#shared/user.ts';
import type { AppContext } from '#server/context.ts';
import type { PricePlanRecord } from '#server/db/records/price-plan.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { alertOfPriceReviews } from '#server/notify/notifications.ts';
import { revisionOf } from './price-changes.ts';

/** Reports whether the author is neither deleted nor banned and may still change these prices. */
export function mayApplyPlan(author: UserRecord | undefined, { entries }: Pick<PricePlanRecord, 'entries'>): author is UserRecord {
  return (
    author !== undefined &&
    author.DeletedAt === null &&
    author.status === UserStatus.active &&
    entries.every(({ key }) => !isSettingKey(key) || mayWriteSetting(key, author.role))
  );
}

/** Replaces plans by reviews, and notifies administrators. A review that a later comparison has left counts instead of the plan. */
export async function returnToReview({ db, now, ...context }: AppContext, plans: readonly PricePlanRecord[]): Promise<void> {
  const [first] = plans;
  if (first === undefined) return;
  const reviews = db.collection('price_reviews');
  for (const { id, model, entries, lines, source } of plans) {
    const content = {
      revision: revisionOf({ entries, lines }),
      state: 'waiting' as const,
      entries,
      lines,
      guards: ['author' as const],
      is_new: entries.every(({ before }) => before === undefined),
      unplaced: [],
      provider: '',
      source,
      found_at: Math.floor(now() / 1000),
    };
    await reviews.patch({ id: model, state: 'dismissed' }, { set: content }, { insertIfMissing: { id: model, ...content } });
    await db.collection('price_plans').remove({ id });
  }
  const models = plans.map(({ model }) => model);
  await alertOfPriceReviews({ db, now, ...context }, { run: `plan-${first.id}`, source: first.source, models });
}
