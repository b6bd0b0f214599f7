// How long the calls of an hour took, in records of their own: one of everybody, and one of each user who called much then. Who
// called little is as quickly read from the rows. Percentiles cannot be added, so what is kept are counts (`latency-histogram.ts`).
import { LogType } from '#shared/logs.ts';
import type { LatencyHourRecord } from '#server/db/records/latency-hour.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';
import type { Database } from '#server/db/database.ts';
import { addPlaces, emptyLatency, latencyScales } from './latency-histogram.ts';
import { replaceRecords } from './replace-records.ts';
import { allHours, digestOf, hourSeconds, timePrefix } from './rollup-shape.ts';
import { rowSlices } from './row-slices.ts';

/** A user with so many calls in an hour that ended well has a record of their own. */
export const manyCalls = 12;

export function latencyKey(userId?: number): string {
  return userId === undefined ? 'all' : `u${userId}`;
}

/** Of rows whose times count. */
export const isTimed = { type: LogType.consumption, hidden: { exists: false }, failed: { exists: false } } as const;

/** Follows the hours up to `until`; after an update from the first hour that still has its rows. */
export async function foldLatencies(
  db: Database,
  head: LogFoldRecord,
  options: { until: number; isOverdue: () => boolean },
): Promise<void> {
  const { until, isOverdue } = options;
  let at = head.latency_until ?? 0;
  while (at < until && !isOverdue()) {
    // What is left of deleted hours would say something else than what they were.
    const from = Math.max(at, head.deleted_until ?? 0);
    const next = await db.collection('log_sums').first({ key: allHours, start: { gte: from } }, { sort: [['start', 1]] });
    const hour = Math.min(next?.start ?? until, until);
    if (hour < until) await foldLatencyHour(db, hour);
    const after = Math.min(until, hour + hourSeconds);
    if ((await db.collection('log_folds').patch({ id: 'head', latency_until: at }, { set: { latency_until: after } })) === null) return;
    head.latency_until = at = after;
  }
}

/** Of hours whose rows were deleted it stays what it was. */
export async function refoldLatency(db: Database, head: LogFoldRecord, hour: number): Promise<void> {
  if (hour < (head.latency_until ?? 0) && hour >= (head.deleted_until ?? 0)) await foldLatencyHour(db, hour);
}

async function foldLatencyHour(db: Database, hour: number): Promise<void> {
  const all = recordOf(hour, latencyKey());
  const users = new Map<number, { calls: number; record: LatencyHourRecord }>();
  for (const slice of await rowSlices(db, hour)) {
    const filter = { and: [slice, isTimed] };
    for (const row of await db.collection('logs').group({ filter, by: ['user_id'], scales: latencyScales })) {
      const userId = Number(row['user_id']);
      let own = users.get(userId);
      if (own === undefined) users.set(userId, (own = { calls: 0, record: recordOf(hour, latencyKey(userId)) }));
      own.calls += row.count;
      addPlaces(own.record, row);
      addPlaces(all, row);
    }
  }
  const many = [...users.values()].filter(({ calls }) => calls >= manyCalls).map(({ record }) => record);
  await replaceRecords(db, { into: 'latency_hours', prefix: `${timePrefix(hour)}.`, records: users.size === 0 ? [] : [all, ...many] });
}

function recordOf(hour: number, key: string): LatencyHourRecord {
  return { id: `${timePrefix(hour)}.${digestOf([key])}`, key, start: hour, ...emptyLatency() };
}
