// Decisions about changes that wait for a review: apply, plan, dismiss, withdraw. Only the revisions that a person saw are decided on.
import { AppError } from '#shared/errors.ts';
import type { PriceOutcome } from '#shared/price-sync.ts';
import { invalidField } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import type { PriceReviewRecord } from '#server/db/records/price-review.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { applyEntries, checkEntriesAreOpen } from './apply-entries.ts';

export interface ReviewedChange {
  model: string;
  revision: string;
}

const mostPlans = 1_000;
/** Seconds ahead. */
const farthest = 366 * 86_400;

/** Applies reviewed changes now. @throws {AppError} as `applyEntries` */
export async function applyReviewed(context: AppContext, changes: readonly ReviewedChange[], actor: UserRecord): Promise<PriceOutcome> {
  const { found, refused } = await reviewed(context, changes);
  const done: string[] = [];
  for (const [source, reviews] of Map.groupBy(found, (review) => review.source)) {
    const models = reviews.map(({ id: model, entries, lines }) => ({ model, entries, lines }));
    const result = await applyEntries(context, models, { actor, reason: { source } });
    done.push(...result.done);
    refused.push(...result.changed.map((model) => ({ model, reason: 'changed' as const })));
  }
  await removeReviews(context, found, done);
  return { done, refused };
}

/**
 * Plans reviewed changes for a time.
 * @param at unix seconds, in the future
 * @throws {AppError} `invalid_field`, `price_plans_full`
 */
export async function planReviewed(
  context: AppContext,
  changes: readonly ReviewedChange[],
  { actor, at }: { actor: UserRecord; at: number },
): Promise<PriceOutcome> {
  const { db, now } = context;
  const created_at = Math.floor(now() / 1000);
  if (at <= created_at || at > created_at + farthest)
    throw invalidField('at', { zh: '必须是一年之内的未来时间', en: 'must be a time within a year from now' });
  const plans = db.collection('price_plans');
  const { found, refused } = await reviewed(context, changes);
  if ((await plans.count({})) + found.length > mostPlans) throw new AppError('price_plans_full', { limit: mostPlans });
  for (const { entries } of found) checkEntriesAreOpen(context, entries);
  for (const { id: model, entries, lines, source } of found) {
    const id = await db.nextId('price_plans');
    await plans.insert({ id, model, entries, lines, at, state: 'waiting', user_id: actor.id, created_at, source });
  }
  const done = found.map(({ id }) => id);
  await removeReviews(context, found, done);
  return { done, refused };
}

export async function dismissReviewed(context: AppContext, changes: readonly ReviewedChange[]): Promise<PriceOutcome> {
  const { found, refused } = await reviewed(context, changes);
  const done: string[] = [];
  for (const { id, revision } of found) {
    const dismissed = await context.db.collection('price_reviews').patch({ id, revision }, { set: { state: 'dismissed' } });
    if (dismissed === null) refused.push({ model: id, reason: 'renewed' });
    else done.push(id);
  }
  return { done, refused };
}

/** @throws {AppError} `not_found` */
export async function withdrawPlan({ db }: AppContext, id: number): Promise<void> {
  if ((await db.collection('price_plans').take({ id })) === null) throw new AppError('not_found');
}

async function reviewed(
  { db }: AppContext,
  changes: readonly ReviewedChange[],
): Promise<{ found: PriceReviewRecord[]; refused: PriceOutcome['refused'] }> {
  const revisions = new Map(changes.map(({ model, revision }) => [model, revision]));
  const records = await db.collection('price_reviews').find({ id: { in: [...revisions.keys()] } });
  const waiting = new Map(records.filter(({ state }) => state === 'waiting').map((review) => [review.id, review]));
  const found: PriceReviewRecord[] = [];
  const refused: PriceOutcome['refused'] = [];
  for (const [model, revision] of revisions) {
    const review = waiting.get(model);
    if (review === undefined) refused.push({ model, reason: 'gone' });
    else if (review.revision === revision) found.push(review);
    else refused.push({ model, reason: 'renewed' });
  }
  return { found, refused };
}

async function removeReviews({ db }: AppContext, reviews: readonly PriceReviewRecord[], models: readonly string[]): Promise<void> {
  const done = new Set(models);
  for (const { id, revision } of reviews) if (done.has(id)) await db.collection('price_reviews').remove({ id, revision });
}
