// Reads latencies by hour, or by quarter if a step starts within an hour: folded hours from their histograms, the
// newest hours and users with few calls from the rows.
import type { Database } from '#server/db/database.ts';
import { isTimed, latencyKey, quarterLatencyKey } from './fold-latency.ts';
import { cutHours, partsOf, quartersOf } from './hour-quarters.ts';
import { rollupCacheOf } from './rollup-cache.ts';
import { addLatency, addPlaces, emptyLatency, type Latency, latencyScales, withoutLatency } from './latency-histogram.ts';
import type { LatencyHourRecord } from '#server/db/records/latency-hour.ts';
import { piecesOf, readRowHour, rowHours, type UsageQuestion, type UsageState, wholeHours } from './read-usage.ts';
import { hourOf, quarterSeconds } from './rollup-shape.ts';

type LatencyQuestion = Pick<UsageQuestion, 'userId' | 'from' | 'to' | 'bounds'>;
/** Query for whole hours. */
type HourQuestion = Omit<LatencyQuestion, 'bounds'> & { cut: ReadonlySet<number> };

/** Latency of an hour or a quarter. */
export interface LatencyCell {
  start: number;
  latency: Latency;
}

/** Omits hours without latencies yet, or whose rows were deleted before. */
export async function readLatency(db: Database, state: UsageState, question: LatencyQuestion): Promise<LatencyCell[]> {
  const { from, to, bounds = [] } = question;
  const cut = cutHours([...bounds, from, to]);
  const whole = { ...question, ...wholeHours(question), cut };
  const hours = rowHours(state, whole);
  const skipped = new Set(hours);
  const [folded, rows] = await Promise.all([
    foldedLatency(db, state, whole, skipped),
    Promise.all(hours.map((hour) => rowLatency(db, state, whole, hour))),
  ]);
  const cells = [...folded, ...rows.flat()];
  return cut.size === 0 ? cells : cells.filter(({ start }) => start >= from && start < to);
}

async function rowLatency(db: Database, state: UsageState, { userId, cut }: HourQuestion, hour: number): Promise<LatencyCell[]> {
  const isCut = cut.has(hour);
  const found = await readRowHour(db, state, hour, { userId, isCut });
  const cells = partsOf(hour, isCut).map(async ({ start, seconds }): Promise<LatencyCell> => {
    const latency = emptyLatency();
    if (found === null) {
      const time = [{ created_at: { gte: start } }, { created_at: { lt: start + seconds } }];
      const filter = { ...(userId === undefined ? {} : { user_id: userId }), and: [...time, isTimed] };
      for (const row of await db.collection('logs').group({ filter, by: [], scales: latencyScales })) addPlaces(latency, row);
    }
    for (const part of found ?? []) if (part.start >= start && part.start < start + seconds) addLatency(latency, part.latency);
    return { start, latency };
  });
  return Promise.all(cells);
}

async function foldedLatency(
  db: Database,
  state: UsageState,
  { userId, from, to: requested, cut }: HourQuestion,
  skipped: ReadonlySet<number>,
): Promise<LatencyCell[]> {
  const to = Math.min(requested, state.latencyUntil);
  if (from >= to) return [];
  const latencies = db.collection('latency_hours');
  const quarters = [...cut].filter((hour) => hour >= from && hour < to).flatMap((hour) => quartersOf(hour).slice(1));
  const [records, later] = await Promise.all([
    latencies.find({ key: latencyKey(userId), and: [{ start: { gte: from } }, { start: { lt: to } }] }),
    quarters.length === 0 ? [] : latencies.find({ key: quarterLatencyKey(userId), start: { in: quarters } }),
  ]);
  const laterByHour = Map.groupBy(later.map(cellOf), ({ start }) => hourOf(start));
  const cells = records.map(cellOf).flatMap((cell) => {
    const parts = cut.has(cell.start) ? (laterByHour.get(cell.start) ?? []) : [];
    const first = withoutLatency(
      cell.latency,
      parts.map(({ latency }) => latency),
    );
    return [{ start: cell.start, latency: first }, ...parts];
  });
  const known = new Set(records.map(({ start }) => start));
  const light = userId === undefined ? [] : await lightLatency(db, state, { userId, from, to, cut }, known);
  return [...cells, ...light].filter(({ start }) => !skipped.has(hourOf(start)));
}

function cellOf({ start, duration, first_byte }: LatencyHourRecord): LatencyCell {
  return { start, latency: { duration, first_byte } };
}

/** Hours in which the user made few calls. */
async function lightLatency(
  db: Database,
  { generation }: UsageState,
  { userId, from, to, cut }: HourQuestion & { userId: number },
  known: ReadonlySet<number>,
): Promise<LatencyCell[]> {
  const stored = rollupCacheOf(db);
  const found = await Promise.all(
    piecesOf(known, { from, to }).map((piece) =>
      stored.ofRows(generation, {
        filter: { user_id: userId, and: [{ created_at: { gte: piece.from } }, { created_at: { lt: piece.to } }, isTimed] },
        by: ['created_at'],
        scales: latencyScales,
      }),
    ),
  );
  const cells = new Map<number, Latency>();
  for (const row of found.flat()) {
    const time = Number(row['created_at']);
    const start = cut.has(hourOf(time)) ? time - (time % quarterSeconds) : hourOf(time);
    let latency = cells.get(start);
    if (latency === undefined) cells.set(start, (latency = emptyLatency()));
    addPlaces(latency, row);
  }
  return [...cells].map(([start, latency]) => ({ start, latency }));
}
