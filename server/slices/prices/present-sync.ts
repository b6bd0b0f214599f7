import type { PriceSyncOverview, PriceSyncRun } from '#shared/price-sync.ts';
import type { AppContext } from '#server/context.ts';
import type { PriceSyncRecord } from '#server/db/records/price-sync.ts';
import { catalogueHost } from './fetch-catalogue.ts';
import { mayApplyPlan } from './plan-author.ts';

const shownRuns = 20;
const shownChanges = 5_000;
const hourSeconds = 3_600;

export async function readSync({ db, settings, now }: AppContext): Promise<PriceSyncOverview> {
  const at = Math.floor(now() / 1000);
  const [runs, reviews, plans] = await Promise.all([
    db.collection('price_syncs').find({}, { sort: [['id', -1]], limit: 50 }),
    db.collection('price_reviews').find({ state: 'waiting' }, { sort: [['id', 1]], limit: shownChanges }),
    db.collection('price_plans').find({}, { sort: [['id', 1]], limit: shownChanges }),
  ]);
  const planners = [...new Set(plans.map(({ user_id: id }) => id))];
  const users = planners.length === 0 ? [] : await db.collection('users').find({ id: { in: planners } });
  const authors = new Map(users.map((user) => [user.id, user]));
  const interval = settings.get('PriceSyncHours');
  const scheduled = runs.find(({ trigger }) => trigger === 'schedule');
  const source = catalogueHost(settings);
  const next = scheduled === undefined ? at : scheduled.started_at + (scheduled.state === 'failed' ? 1 : interval) * hourSeconds;
  return {
    source,
    interval_hours: interval,
    ...(interval === 0 || source === '' ? {} : { next_at: Math.max(at, next) }),
    applies: settings.get('PriceSyncApply'),
    guard_percent: settings.get('PriceSyncGuardPercent'),
    is_list_public: settings.get('PriceListPublic'),
    runs: runs.slice(0, shownRuns).map(presentRun),
    reviews: reviews.map(({ id: model, revision, lines, guards, is_new, unplaced, provider, found_at }) => ({
      model,
      revision,
      lines,
      guards,
      is_new,
      unplaced,
      provider,
      found_at,
    })),
    plans: plans
      .toSorted((one, other) => one.at - other.at || one.id - other.id)
      .map(({ id, model, lines, at: due, state, user_id, entries, created_at, source: from }) => ({
        id,
        model,
        lines,
        at: due,
        state: state === 'waiting' && !mayApplyPlan(authors.get(user_id), { entries }) ? ('held' as const) : state,
        created_at,
        source: from,
        username: authors.get(user_id)?.username ?? '',
      })),
    at,
  };
}

export function presentRun(record: PriceSyncRecord): PriceSyncRun {
  const { id, trigger, state, started_at, ended_at, source, format, failure, detail, compared, applied, waiting, invalid, unplaced } =
    record;
  return {
    id,
    trigger,
    state,
    started_at,
    source,
    compared,
    applied,
    waiting,
    invalid,
    unplaced,
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(format === undefined ? {} : { format }),
    ...(failure === undefined ? {} : { failure }),
    ...(detail === undefined ? {} : { detail }),
  };
}
