// Folds latencies of an hour: a record for all users, and one per user with many calls. For few calls, reading the rows
// is as fast. Stores histograms (`latency-histogram.ts`), because percentiles cannot be added.
import { LogType } from '#shared/logs.ts';
import type { LatencyHourRecord } from '#server/db/records/latency-hour.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';
import type { GroupRow } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import { addPlaces, emptyLatency, latencyScales } from './latency-histogram.ts';
import { replaceRecords } from './replace-records.ts';
import { allHours, digestOf, hourSeconds, quarterSeconds, timePrefix } from './rollup-shape.ts';
import { rowSlices } from './row-slices.ts';

/** Minimum number of successful calls in an hour for a user's record. */
export const manyCalls = 12;

export function latencyKey(userId?: number): string {
  return userId === undefined ? 'all' : `u${userId}`;
}

/** Key of the later quarters of hours, stored separately from whole hours. */
export function quarterLatencyKey(userId?: number): string {
  return `${latencyKey(userId)}:quarters`;
}

/** Filter for rows whose times count. */
export const isTimed = { type: LogType.consumption, hidden: { exists: false }, failed: { exists: false } } as const;

/** Folds the hours up to `until`; after an update, from the first hour that still has its rows. */
export async function foldLatencies(
  db: Database,
  head: LogFoldRecord,
  options: { until: number; isOverdue: () => boolean },
): Promise<void> {
  const { until, isOverdue } = options;
  let at = head.latency_until ?? 0;
  while (at < until && !isOverdue()) {
    // Hours with deleted rows are skipped, because the rest would be misleading.
    const from = Math.max(at, head.deleted_until ?? 0);
    const next = await db.collection('log_sums').first({ key: allHours, start: { gte: from } }, { sort: [['start', 1]] });
    const hour = Math.min(next?.start ?? until, until);
    if (hour < until) await foldLatencyHour(db, hour);
    const after = Math.min(until, hour + hourSeconds);
    if ((await db.collection('log_folds').patch({ id: 'head', latency_until: at }, { set: { latency_until: after } })) === null) return;
    head.latency_until = at = after;
  }
}

/** Leaves hours with deleted rows unchanged. */
export async function refoldLatency(db: Database, head: LogFoldRecord, hour: number): Promise<void> {
  if (hour < (head.latency_until ?? 0) && hour >= (head.deleted_until ?? 0)) await foldLatencyHour(db, hour);
}

async function foldLatencyHour(db: Database, hour: number): Promise<void> {
  const all = new LatencyRecords(hour);
  const users = new Map<number, LatencyRecords>();
  for (const { filter: slice, quarter } of await rowSlices(db, hour)) {
    const filter = { and: [slice, isTimed] };
    for (const row of await db.collection('logs').group({ filter, by: ['user_id'], scales: latencyScales })) {
      const userId = Number(row['user_id']);
      let own = users.get(userId);
      if (own === undefined) users.set(userId, (own = new LatencyRecords(hour, userId)));
      own.add(row, quarter);
      all.add(row, quarter);
    }
  }
  const many = [...users.values()].filter(({ calls }) => calls >= manyCalls);
  const records = users.size === 0 ? [] : [all, ...many].flatMap((one) => one.records());
  await replaceRecords(db, { into: 'latency_hours', prefix: `${timePrefix(hour)}.`, records });
}

/** Records of an hour, and of its later quarters with calls. */
class LatencyRecords {
  calls = 0;
  readonly #hour: number;
  readonly #userId: number | undefined;
  readonly #whole: LatencyHourRecord;
  readonly #quarters = new Map<number, LatencyHourRecord>();

  constructor(hour: number, userId?: number) {
    this.#hour = hour;
    this.#userId = userId;
    const key = latencyKey(userId);
    this.#whole = { id: `${timePrefix(hour)}.${digestOf([key])}`, key, start: hour, ...emptyLatency() };
  }

  add(row: GroupRow, quarter: number): void {
    this.calls += row.count;
    addPlaces(this.#whole, row);
    if (quarter > 0) addPlaces(this.#later(quarter), row);
  }

  records(): LatencyHourRecord[] {
    return [this.#whole, ...this.#quarters.values()];
  }

  #later(quarter: number): LatencyHourRecord {
    let known = this.#quarters.get(quarter);
    if (known === undefined) {
      const key = quarterLatencyKey(this.#userId);
      const id = `${timePrefix(this.#hour)}.${digestOf([key, quarter])}`;
      known = { id, key, start: this.#hour + quarter * quarterSeconds, ...emptyLatency() };
      this.#quarters.set(quarter, known);
    }
    return known;
  }
}
