// The rows of an hour in slices that are summed in one query each.
import type { Filter } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database } from '#server/db/database.ts';
import { hourSeconds } from './rollup-shape.ts';

const rowsAtOnce = 5_000;

/** As many as it takes for each to have about so many rows. */
export async function rowSlices(db: Database, hour: number): Promise<Filter<LogRecord>[]> {
  const rows = await db.collection('logs').count(within(hour, hour + hourSeconds));
  const slices = Math.min(hourSeconds, Math.max(1, Math.ceil(rows / rowsAtOnce)));
  const bounds = Array.from({ length: slices + 1 }, (_, slice) => hour + Math.floor((slice * hourSeconds) / slices));
  return bounds.slice(1).map((to, index) => within(bounds[index] ?? hour, to));
}

function within(from: number, to: number): Filter<LogRecord> {
  return { and: [{ created_at: { gte: from } }, { created_at: { lt: to } }] };
}
