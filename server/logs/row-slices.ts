// Divides the rows of an hour into slices, each summed by one query.
import type { Filter } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database } from '#server/db/database.ts';
import { quartersOf } from './hour-quarters.ts';
import { hourSeconds, quarterSeconds } from './rollup-shape.ts';

const rowsAtOnce = 5_000;

export interface RowSlice {
  filter: Filter<LogRecord>;
  /** Quarter of the hour, 0 to 3, that contains the slice. */
  quarter: number;
}

/** Number of slices for a target size, times four, because quarters are separate. */
export async function rowSlices(db: Database, hour: number): Promise<RowSlice[]> {
  const rows = await db.collection('logs').count(within(hour, hour + hourSeconds));
  const count = Math.min(quarterSeconds, Math.ceil(rows / rowsAtOnce));
  return quartersOf(hour).flatMap((start, quarter) =>
    Array.from({ length: count }, (_, slice) => {
      const boundOf = (place: number) => start + Math.floor((place * quarterSeconds) / count);
      return { filter: within(boundOf(slice), boundOf(slice + 1)), quarter };
    }),
  );
}

function within(from: number, to: number): Filter<LogRecord> {
  return { and: [{ created_at: { gte: from } }, { created_at: { lt: to } }] };
}
