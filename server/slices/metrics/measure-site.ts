// Measures what only the database knows: unfinished work, bills, backups, reviews. One process reads it by the clock; all report the result.
import { z } from 'zod/mini';
import { decimalText, subtract } from '#shared/decimal.ts';
import type { AppContext } from '#server/context.ts';
import type { GroupRow } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import { sumsOfDay } from '#server/features/provider-bills/compare-days.ts';
import { taskNames } from '#server/work/tasks/note-task.ts';
import { other, type NumberPoint, type Registry } from '#server/telemetry/registry.ts';
import { createKnownNames, type KnownNames } from '#server/slices/metrics/known-names.ts';

const Measured = z.object({
  /** Unfinished work; `oldest`: its creation, unix seconds. */
  work: z.array(z.object({ kind: z.string(), model: z.string(), open: z.int(), oldest: z.int() })),
  /** Unfinished backups and imports; `since`: milliseconds. */
  runs: z.array(z.object({ kind: z.string(), since: z.int() })),
  /** Price changes that wait for a person. */
  reviews: z.int(),
  /** Last compared day by account of bills: billed − expected, in US dollars. */
  bills: z.array(z.object({ account: z.int(), usd: z.number() })),
});
type Measured = z.infer<typeof Measured>;

/** A measurement may take this share of the time at most: the next one waits accordingly. */
const mostShare = 0.01;
/** Measurements of processes that are gone say nothing. */
const validMs = 900_000;
/** Groups of work, and accounts of bills, in one announcement. */
const mostRows = 100;
/** The last days of an account, among which is the last compared one. */
const mostDays = 14;
const mostReviews = 10_000;

/** Monotonic milliseconds before which this process measures nothing. */
const notBefore = new WeakMap<Database, number>();

/** Job; announces the result to all processes. */
export async function measureSite({ db, changes, telemetry, channels }: AppContext): Promise<void> {
  const registry = telemetry?.registry ?? null;
  if (registry === null || performance.now() < (notBefore.get(db) ?? 0)) return;
  const startedAt = performance.now();
  const measured: Measured = {
    work: await unfinishedWork(db, createKnownNames(channels, registry)),
    runs: await unfinishedRuns(db),
    reviews: await db.collection('price_reviews').count({ state: 'waiting' }, mostReviews),
    bills: await lastBills(db),
  };
  notBefore.set(db, performance.now() + (performance.now() - startedAt) / mostShare);
  await changes.announce('measured_site', JSON.stringify(measured));
}

/** Unfinished work by kind and model. The indexes that are used have unfinished work only. */
async function unfinishedWork(db: Database, names: KnownNames): Promise<Measured['work']> {
  names.current();
  const groups = new Map<string, Measured['work'][number]>();
  const add = (kind: string, { model, created_at: created, count }: GroupRow): void => {
    const name = names.model(String(model));
    const known = groups.get(`${kind} ${name}`);
    const bounded = known !== undefined || groups.size < mostRows ? name : other;
    const group = groups.get(`${kind} ${bounded}`) ?? { kind, model: bounded, open: 0, oldest: Number(created) };
    groups.set(`${kind} ${bounded}`, { ...group, open: group.open + count, oldest: Math.min(group.oldest, Number(created)) });
  };
  const [tasks, batches, tunings] = [
    await db.collection('tasks').group({ filter: { running_user_id: { gt: 0 } }, by: ['platform', 'model', 'created_at'] }),
    await db.collection('batches').group({ filter: { open_user_id: { gt: 0 } }, by: ['model', 'created_at'] }),
    await db.collection('tuning_jobs').group({ filter: { open_user_id: { gt: 0 } }, by: ['model', 'created_at'] }),
  ];
  const kinds: Readonly<Record<string, string>> = taskNames;
  for (const row of tasks) add(kinds[String(row['platform'])] ?? other, row);
  for (const row of batches) add('batch', row);
  for (const row of tunings) add('tuning', row);
  return [...groups.values()];
}

async function unfinishedRuns(db: Database): Promise<Measured['runs']> {
  const [backup, run] = [await db.collection('backups').first({ running: 1 }), await db.collection('imports').first({ running: 1 })];
  return [
    ...(backup === null ? [] : [{ kind: 'backup', since: backup.started_at }]),
    ...(run === null ? [] : [{ kind: 'import', since: run.started_at === 0 ? run.created_at : run.started_at }]),
  ];
}

async function lastBills(db: Database): Promise<Measured['bills']> {
  const bills: Measured['bills'] = [];
  for (const { id: account } of await db.collection('bill_accounts').find({}, { limit: mostRows })) {
    const days = await db.collection('bill_days').find({ account_id: account }, { sort: [['day', -1]], limit: mostDays });
    for (const day of days) {
      const sums = day.is_partial === true ? undefined : sumsOfDay(day);
      if (sums === undefined) continue;
      bills.push({ account, usd: Number(decimalText(subtract(sums.billed, sums.ours))) });
      break;
    }
  }
  return bills;
}

/** Reports the last measurement of any process. Returns the function that stops it. */
export function watchSite(registry: Registry, { changes, now, log }: Pick<AppContext, 'changes' | 'now' | 'log'>): () => void {
  let last: { at: number; measured: Measured } | undefined;
  const read = (points: (measured: Measured) => NumberPoint[]) => () =>
    last === undefined || performance.now() - last.at > validMs ? [] : points(last.measured);
  const age = (milliseconds: number) => Math.max(0, (now() - milliseconds) / 1000);
  registry.read(
    'workOpen',
    read(({ work }) => work.map(({ kind, model, open }) => point(open, { kind, model }))),
  );
  registry.read(
    'workOldest',
    read(({ work }) =>
      Array.from(
        Map.groupBy(work, ({ kind }) => kind),
        ([kind, groups]) => point(age(Math.min(...groups.map(({ oldest }) => oldest)) * 1000), { kind }),
      ),
    ),
  );
  registry.read(
    'upkeepAge',
    read(({ runs }) => runs.map(({ kind, since }) => ({ labels: { 'tidegate.upkeep.kind': kind }, value: age(since) }))),
  );
  registry.read(
    'priceReviews',
    read(({ reviews }) => [{ labels: {}, value: reviews }]),
  );
  registry.read(
    'billDifference',
    read(({ bills }) => bills.map(({ account, usd }) => ({ labels: { 'tidegate.bill.account.id': String(account) }, value: usd }))),
  );
  return changes.listen('measured_site', (key) => {
    try {
      last = { at: performance.now(), measured: Measured.parse(JSON.parse(String(key))) };
    } catch {
      // Of another version.
      log.debug('a measurement of another process could not be read');
    }
  });
}

function point(value: number, { kind, model }: { kind: string; model?: string }): NumberPoint {
  return { labels: { 'tidegate.work.kind': kind, ...(model === undefined ? {} : { 'gen_ai.request.model': model }) }, value };
}
