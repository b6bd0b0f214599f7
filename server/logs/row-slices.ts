// The rows of an hour in slices that are summed in one query each.
import type { Filter } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { Database } from '#server/db/database.ts';
import { quartersOf } from './hour-quarters.ts';
import { hourSeconds, quarterSeconds } from './rollup-shape.ts';

const rowsAtOnce = 5_000;

export interface RowSlice {
  filter: Filter<LogRecord>;
  /** Of the hour, 0 to 3: a slice is within one of them. */
  quarter: number;
}

/** Four times as many as it takes for each to have about so many rows: the quarters of the hour are told apart. */
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
