// How long calls took, hour by hour: folded hours from their counts, the newest and what one user called little in from the rows.
import type { Database } from '#server/db/database.ts';
import { isTimed, latencyKey } from './fold-latency.ts';
import { rollupCacheOf } from './rollup-cache.ts';
import { addPlaces, emptyLatency, latencyScales } from './latency-histogram.ts';
import type { Latency } from './latency-histogram.ts';
import { piecesOf, readRowHour, rowHours } from './read-usage.ts';
import type { UsageQuestion, UsageState } from './read-usage.ts';
import { hourOf, hourSeconds } from './rollup-shape.ts';

type LatencyQuestion = Pick<UsageQuestion, 'userId' | 'from' | 'to'>;

export interface LatencyCell {
  hour: number;
  latency: Latency;
}

/** Nothing of hours whose latencies are still to be made, or whose rows were deleted before they were. */
export async function readLatency(db: Database, state: UsageState, question: LatencyQuestion): Promise<LatencyCell[]> {
  const hours = rowHours(state, question);
  const skipped = new Set(hours);
  const [folded, rows] = await Promise.all([
    foldedLatency(db, state, question, skipped),
    Promise.all(hours.map((hour) => rowLatency(db, state, question, hour))),
  ]);
  return [...folded, ...rows];
}

async function rowLatency(db: Database, state: UsageState, { userId }: LatencyQuestion, hour: number): Promise<LatencyCell> {
  const found = await readRowHour(db, state, hour, userId);
  if (found !== null) return { hour, latency: found.latency };
  const latency = emptyLatency();
  const time = [{ created_at: { gte: hour } }, { created_at: { lt: hour + hourSeconds } }];
  const filter = { ...(userId === undefined ? {} : { user_id: userId }), and: [...time, isTimed] };
  for (const row of await db.collection('logs').group({ filter, by: [], scales: latencyScales })) addPlaces(latency, row);
  return { hour, latency };
}

async function foldedLatency(
  db: Database,
  state: UsageState,
  { userId, from, to: asked }: LatencyQuestion,
  skipped: ReadonlySet<number>,
): Promise<LatencyCell[]> {
  const to = Math.min(asked, state.latencyUntil);
  if (from >= to) return [];
  const records = await db
    .collection('latency_hours')
    .find({ key: latencyKey(userId), and: [{ start: { gte: from } }, { start: { lt: to } }] });
  const cells = records.map(({ start, duration, first_byte }) => ({ hour: start, latency: { duration, first_byte } }));
  const light = userId === undefined ? [] : await lightLatency(db, state, { userId, from, to }, new Set(cells.map(({ hour }) => hour)));
  return [...cells, ...light].filter(({ hour }) => !skipped.has(hour));
}

/** Of the hours in which that user called little. */
async function lightLatency(
  db: Database,
  { generation }: UsageState,
  { userId, from, to }: { userId: number; from: number; to: number },
  known: ReadonlySet<number>,
): Promise<LatencyCell[]> {
  const kept = rollupCacheOf(db);
  const found = await Promise.all(
    piecesOf(known, { from, to }).map((piece) =>
      kept.ofRows(generation, {
        filter: { user_id: userId, and: [{ created_at: { gte: piece.from } }, { created_at: { lt: piece.to } }, isTimed] },
        by: ['created_at'],
        scales: latencyScales,
      }),
    ),
  );
  const hours = new Map<number, Latency>();
  for (const row of found.flat()) {
    const hour = hourOf(Number(row['created_at']));
    let latency = hours.get(hour);
    if (latency === undefined) hours.set(hour, (latency = emptyLatency()));
    addPlaces(latency, row);
  }
  return [...hours].map(([hour, latency]) => ({ hour, latency }));
}
