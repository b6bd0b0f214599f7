// A sync: downloads the catalogue, compares, applies what the settings allow without a review, and leaves the rest to a person.
import { Role } from '#shared/roles.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { storableText } from '#server/db/storable.ts';
import type { PriceEntryRecord, PriceReviewRecord } from '#server/db/records/price-review.ts';
import type { PriceSyncRecord } from '#server/db/records/price-sync.ts';
import { alertOfPriceReviews, alertOfPriceSync } from '#server/notify/notifications.ts';
import { applyEntries } from './apply-entries.ts';
import { CatalogueRefusal, readCatalogue } from './catalogues/read-catalogue.ts';
import { compareCatalogue } from './compare-catalogue.ts';
import { catalogueHost, fetchCatalogue } from './fetch-catalogue.ts';
import { type PriceChange, revisionOf } from './price-changes.ts';
import { isPriceKey, priceKeys, subjectOf } from './price-lines.ts';

/** A run without an end after this time was interrupted. Seconds. */
const longestRun = 600;
const daySeconds = 86_400;
/** Names that a run records. */
const mostNames = 200;
/** Changes that wait for a review. */
const mostReviews = 5_000;
const mostRuns = 200;

/** @throws {AppError} `price_sync_running` */
export async function runSync(
  context: AppContext,
  { trigger, userId }: { trigger: PriceSyncRecord['trigger']; userId: number },
): Promise<PriceSyncRecord> {
  const record = await begin(context, { trigger, userId });
  try {
    return await end(context, record, await sync(context, record));
  } catch (failure) {
    const known = failure instanceof CatalogueRefusal ? failure : new CatalogueRefusal('other', '', { cause: failure });
    if (!(failure instanceof CatalogueRefusal)) context.log.error({ err: failure }, 'prices could not be compared with the catalogue');
    if (trigger === 'schedule') await alertOfPriceSync(context, { source: record.source, reason: known.reason, detail: known.detail });
    return end(context, record, {
      state: 'failed',
      failure: known.reason,
      ...(known.detail === '' ? {} : { detail: storableText(known.detail, 200) }),
    });
  }
}

async function begin(
  { db, now, settings }: AppContext,
  { trigger, userId }: { trigger: PriceSyncRecord['trigger']; userId: number },
): Promise<PriceSyncRecord> {
  const runs = db.collection('price_syncs');
  const at = Math.floor(now() / 1000);
  await runs.patch(
    { running: 1, started_at: { lt: at - longestRun } },
    { set: { state: 'failed', failure: 'interrupted', ended_at: at }, unset: ['running'] },
  );
  const record: PriceSyncRecord = {
    id: await db.nextId('price_syncs'),
    trigger,
    user_id: userId,
    state: 'running',
    running: 1,
    started_at: at,
    source: catalogueHost(settings),
    compared: 0,
    applied: 0,
    waiting: 0,
    invalid: [],
    unplaced: [],
  };
  try {
    await runs.insert(record);
    return record;
  } catch (failure) {
    if (failure instanceof UniqueConflict) throw new AppError('price_sync_running', {}, { cause: failure });
    throw failure;
  }
}

async function end({ db, now }: AppContext, record: PriceSyncRecord, set: Partial<PriceSyncRecord>): Promise<PriceSyncRecord> {
  const runs = db.collection('price_syncs');
  const ended = { ...set, ended_at: Math.floor(now() / 1000) };
  const { running: _running, ...stopped } = { ...record, ...ended };
  const { id, ...fields } = stopped;
  const stored = await runs.patch({ id, running: 1 }, { set: fields, unset: ['running'] });
  const [oldest] = await runs.find({}, { sort: [['id', -1]], skip: mostRuns, limit: 1 });
  if (oldest !== undefined) await runs.remove({ id: { lte: oldest.id }, running: { exists: false } });
  return stored ?? stopped;
}

async function sync(context: AppContext, { id: run, source }: PriceSyncRecord): Promise<Partial<PriceSyncRecord>> {
  const { db, settings } = context;
  const catalogue = readCatalogue(await fetchCatalogue(context));
  const plans = await db.collection('price_plans').find({ state: 'waiting' });
  const planned = new Map(plans.map(({ model, entries }) => [model, entries]));
  const known = catalogue.format === 'tidegate' ? await knownBefore(context, source) : [];
  const { changes, compared, unplaced, invalid, known: knownNow } = await compareCatalogue(context, catalogue, { planned, known });
  const earlier = new Map((await db.collection('price_reviews').find({})).map((review) => [review.id, review]));
  const recent = await syncedWithin(context, daySeconds);
  const open = changes
    .filter((change) => !isDismissed(change, earlier.get(change.model)))
    .map((change): typeof change => (recent.has(change.model) ? { ...change, guards: [...change.guards, 'again'] } : change));
  const applies = settings.get('PriceSyncApply');
  const isAllowed = ({ guards, isNew }: PriceChange) => guards.length === 0 && (applies === 'all' || (applies === 'new' && isNew));
  const { done } = await applyEntries(context, open.filter(isAllowed), {
    actor: { id: 0, username: '', role: Role.root },
    reason: { source },
  });
  const applied = new Set(done);
  const left = open.filter(({ model }) => !applied.has(model)).slice(0, mostReviews);
  const fresh = left.filter(
    (change) => earlier.get(change.model)?.revision !== revisionOf(change) || earlier.get(change.model)?.state !== 'waiting',
  );
  await storeReviews(context, { source, left, fresh, earlier, offered: new Set(changes.map(({ model }) => model)), applied });
  if (fresh.length > 0) await alertOfPriceReviews(context, { run, source, models: fresh.map(({ model }) => model) });
  return {
    state: 'done',
    format: catalogue.format,
    compared,
    applied: done.length,
    waiting: left.length,
    invalid: [...catalogue.invalid, ...invalid].slice(0, mostNames).map((name) => storableText(name, 200)),
    unplaced: unplaced
      .slice(0, mostNames)
      .map(({ model, names }) => ({ model, names: names.slice(0, 20).map((name) => storableText(name, 100)) })),
    ...(knownNow === undefined ? {} : { known: knownNow.slice(0, 20_000) }),
  };
}

async function knownBefore({ db }: AppContext, source: string): Promise<readonly string[]> {
  const runs = await db.collection('price_syncs').find({}, { sort: [['id', -1]], limit: mostRuns });
  return runs.find((run) => run.state === 'done' && run.source === source && run.known !== undefined)?.known ?? [];
}

/** Models that a sync changed without a review in the last `seconds`: small steps must not add up. */
async function syncedWithin({ db, now }: AppContext, seconds: number): Promise<Set<string>> {
  const since = Math.floor(now() / 1000) - seconds;
  const changes = await db.collection('option_changes').find({ key: { in: priceKeys } }, { sort: [['id', -1]], limit: 2_000 });
  const own = changes.filter(({ created_at: at, actor_id: actor, source }) => at >= since && actor === 0 && source !== undefined);
  return new Set(own.flatMap(({ key, entries = [] }) => entries.flatMap(({ name }) => (isPriceKey(key) ? [subjectOf(key, name)] : []))));
}

function isDismissed({ entries }: PriceChange, review: PriceReviewRecord | undefined): boolean {
  return review?.state === 'dismissed' && wantedOf(review.entries) === wantedOf(entries);
}

function wantedOf(entries: readonly PriceEntryRecord[]): string {
  return JSON.stringify(entries.map(({ key, name, after = null }) => [key, name, after]));
}

interface Reviews {
  source: string;
  left: (PriceChange & { provider: string })[];
  fresh: (PriceChange & { provider: string })[];
  earlier: ReadonlyMap<string, PriceReviewRecord>;
  /** Models that the catalogue would change. */
  offered: ReadonlySet<string>;
  applied: ReadonlySet<string>;
}

async function storeReviews({ db, now }: AppContext, { source, left, fresh, earlier, offered, applied }: Reviews): Promise<void> {
  const reviews = db.collection('price_reviews');
  const waiting = new Set(left.map(({ model }) => model));
  for (const { id, revision, state } of earlier.values()) {
    // Changed by a person since the comparison: the revision shows it.
    const isOver = applied.has(id) || (state === 'waiting' ? !waiting.has(id) : !offered.has(id));
    if (isOver) await reviews.remove({ id, revision });
  }
  for (const change of fresh) {
    const { model: id, entries, lines, guards, isNew: is_new, unplaced, provider } = change;
    const names = unplaced.slice(0, 20).map((name) => storableText(name, 100));
    const found_at = Math.floor(now() / 1000);
    const content = {
      revision: revisionOf(change),
      state: 'waiting' as const,
      entries,
      lines,
      guards,
      is_new,
      unplaced: names,
      provider,
      source,
      found_at,
    };
    await reviews.patch({ id }, { set: content }, { insertIfMissing: { id, ...content } });
  }
}
