// Folds the rows of past hours into sums for statistics. Everything is recomputed from rows and replaces the previous
// sums, so it may stop anywhere and be repeated. Later changes are announced by marks
// (`server/money/settlement/late-rows.ts`) or found by comparing counts (`checkFolds`).
import type { AppContext } from '#server/context.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';
import type { Database } from '#server/db/database.ts';
import { LogType } from '#shared/logs.ts';
import { foldCosts, refoldCosts } from './fold-costs.ts';
import { openHead } from './fold-head.ts';
import { foldDay } from './fold-day.ts';
import { foldHour } from './fold-hour.ts';
import { foldLatencies, refoldLatency } from './fold-latency.ts';
import { foldUsageDay, foldUsageHour } from './fold-usage.ts';
import { allHours, dayOf, daySeconds, foldLagSeconds, hourOf, hourSeconds } from './rollup-shape.ts';

type FoldContext = Pick<AppContext, 'db' | 'now' | 'log'>;

/** Approximate end of a run, so that other jobs can run; the next run continues. */
const runMs = 8_000;
/** Hours checked at every run, and number of others checked in turn. */
const checkedRecent = 26;
const checkedOlder = 50;
/** Hours of an earlier version folded again per run; until then, readers use their rows. */
const renewedHours = 4;

export async function foldLog(context: FoldContext): Promise<void> {
  const { db } = context;
  const startedAt = performance.now();
  const isOverdue = () => performance.now() - startedAt > runMs;
  const head = await openHead(context);
  await announceOlder(context, head);
  await refoldChanged(context, head, isOverdue);
  const until = await foldHours(context, head, isOverdue);
  // After an update, the dashboard's sums are computed before latencies.
  const isBehind = (head.latency_until ?? 0) < (head.usage_until ?? 0);
  if (!isBehind) await foldLatencies(db, head, { until, isOverdue });
  await foldUsage(context, head, until, isOverdue);
  if (isBehind) await foldLatencies(db, head, { until, isOverdue });
  await foldCosts(db, head, { until, isOverdue });
  let day = head.days_until ?? 0;
  while (day + daySeconds <= until && !isOverdue()) {
    const next = await db.collection('log_sums').first({ key: allHours, start: { gte: day } }, { sort: [['start', 1]] });
    const found = next === null ? dayOf(until) : Math.min(dayOf(next.start), dayOf(until));
    if (found + daySeconds <= until) await foldDay(db, found);
    const after = found + daySeconds <= until ? found + daySeconds : found;
    if ((await db.collection('log_folds').patch({ id: 'head', days_until: day }, { set: { days_until: after } })) === null) return;
    day = after;
  }
}

/** Compares the row counts of folded hours with the folded counts, and marks differences; returns their number. */
export async function checkFolds(context: FoldContext): Promise<number> {
  const { db, log } = context;
  const head = await openHead(context);
  const until = head.until ?? 0;
  const recent = until - checkedRecent * hourSeconds;
  const hours = Array.from({ length: checkedRecent }, (_, index) => recent + index * hourSeconds);
  // From the newest to the oldest, then from the start again.
  const from = head.checked === undefined || head.checked <= 0 || head.checked > recent ? recent : head.checked;
  const first = await db.collection('logs').first({ created_at: { gte: 0 } }, { sort: [['created_at', 1]] });
  const oldest = first === null ? recent : hourOf(first.created_at);
  let next = from;
  for (let count = 0; count < checkedOlder && next > oldest; count += 1) hours.push((next -= hourSeconds));
  let wrong = 0;
  for (const hour of hours) {
    if (hour < 0 || (await isComplete(db, hour))) continue;
    wrong += 1;
    const mark: LogFoldRecord = { id: `wrong:${hour}`, hour, marked_at: 0 };
    await db.write([{ insert: mark, into: 'log_folds', ignoreConflict: true }]);
  }
  await db.collection('log_folds').patch({ id: 'head' }, { set: { checked: next > oldest ? next : 0 } });
  if (wrong > 0) log.warn({ hours: wrong }, 'sums of the log did not agree with its rows and are made anew');
  return wrong;
}

/** Marks hours folded by an earlier version, newest first, while they still have rows. */
async function announceOlder({ db }: FoldContext, head: LogFoldRecord): Promise<void> {
  const folds = db.collection('log_folds');
  const at = head.quarters_from ?? head.until ?? 0;
  const least = head.deleted_until ?? 0;
  let from = at;
  const marks: LogFoldRecord[] = [];
  while (marks.length < renewedHours && from > least) {
    const hour = { key: allHours, and: [{ start: { gte: least } }, { start: { lt: from } }] };
    from = (await db.collection('log_sums').first(hour, { sort: [['start', -1]] }))?.start ?? 0;
    if (from > 0) marks.push({ id: `quarters:${from}`, hour: from, marked_at: 0 });
  }
  const next = marks.length < renewedHours ? 0 : from;
  if (head.quarters_from === next) return;
  await db.write(marks.map((insert) => ({ insert, into: 'log_folds' as const, ignoreConflict: true })));
  await folds.patch({ id: 'head' }, { set: { quarters_from: next } });
}

async function foldHours({ db, now }: FoldContext, head: LogFoldRecord, isOverdue: () => boolean): Promise<number> {
  const folds = db.collection('log_folds');
  const closed = hourOf(Math.floor(now() / 1000) - foldLagSeconds);
  let until = head.until ?? 0;
  while (until < closed && !isOverdue()) {
    const row = await db.collection('logs').first({ created_at: { gte: until } }, { sort: [['created_at', 1]] });
    const hour = row === null ? closed : hourOf(row.created_at);
    if (hour < closed) await foldHour(db, hour, { isOld: hour < (head.since ?? 0) });
    const after = Math.min(closed, hour + hourSeconds);
    // Another process is folding, or considered this run abandoned.
    if ((await folds.patch({ id: 'head', until }, { set: { until: after } })) === null) return until;
    until = after;
  }
  return until;
}

async function refoldChanged({ db, now }: FoldContext, head: LogFoldRecord, isOverdue: () => boolean): Promise<void> {
  const folds = db.collection('log_folds');
  const marks = await folds.find({ hour: { gte: 0 } }, { sort: [['hour', 1]], limit: 500 });
  const byHour = Map.groupBy(
    marks.filter((mark) => (mark.marked_at ?? 0) <= now() - foldLagSeconds * 1000),
    (mark) => mark.hour ?? 0,
  );
  for (const [hour, due] of byHour) {
    if (isOverdue()) return;
    if (hour < (head.until ?? 0)) {
      // Before the first record changes, so that concurrent readers restart.
      await folds.patch({ id: 'head' }, { increment: { generation: 1 } });
      await foldHour(db, hour, { isOld: hour < (head.since ?? 0) });
      if (dayOf(hour) < (head.days_until ?? 0)) await foldDay(db, dayOf(hour));
      await refoldUsage(db, head, hour);
      await refoldLatency(db, head, hour);
      await refoldCosts(db, head, hour);
    }
    for (const mark of due) await folds.remove({ id: mark.id });
  }
}

/** Folds the dashboard's sums after the hours; after an update, from the first hour. */
async function foldUsage({ db }: FoldContext, head: LogFoldRecord, until: number, isOverdue: () => boolean): Promise<void> {
  const folds = db.collection('log_folds');
  let at = head.usage_until ?? 0;
  while (at < until && !isOverdue()) {
    const next = await db.collection('log_sums').first({ key: allHours, start: { gte: at } }, { sort: [['start', 1]] });
    const hour = Math.min(next?.start ?? until, until);
    if (hour < until) await foldUsageHour(db, hour);
    const after = Math.min(until, hour + hourSeconds);
    if ((await folds.patch({ id: 'head', usage_until: at }, { set: { usage_until: after } })) === null) return;
    head.usage_until = at = after;
  }
  let day = head.usage_days_until ?? 0;
  while (day + daySeconds <= at && !isOverdue()) {
    const next = await db.collection('usage_sums').first({ key: 'all', start: { gte: day } }, { sort: [['start', 1]] });
    const found = Math.min(dayOf(next?.start ?? at), dayOf(at));
    if (found + daySeconds <= at) await foldUsageDay(db, found);
    const after = found + daySeconds <= at ? found + daySeconds : found;
    if ((await folds.patch({ id: 'head', usage_days_until: day }, { set: { usage_days_until: after } })) === null) return;
    head.usage_days_until = day = after;
  }
}

/** Leaves the dashboard's sums of hours with deleted rows unchanged. */
async function refoldUsage(db: Database, head: LogFoldRecord, hour: number): Promise<void> {
  if (hour >= (head.usage_until ?? 0) || hour < (head.deleted_until ?? 0)) return;
  await foldUsageHour(db, hour);
  if (dayOf(hour) < (head.usage_days_until ?? 0)) await foldUsageDay(db, dayOf(hour));
}

async function isComplete(db: Database, hour: number): Promise<boolean> {
  const [rows, sums] = await Promise.all([
    db
      .collection('logs')
      .count({ type: LogType.consumption, and: [{ created_at: { gte: hour } }, { created_at: { lt: hour + hourSeconds } }] }),
    db.collection('log_sums').group({ filter: { key: allHours, start: hour }, by: [], sum: { calls: 'calls' } }),
  ]);
  return rows === Number(sums[0]?.['calls'] ?? 0);
}
