// Rows are folded into sums by the hour (`server/logs/fold-log.ts`) some time after the hour. Before a row of an hour that may be
// folded is written or removed, that hour is marked. It is then read from its rows until it is folded anew.
import type { Write } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';

const hourSeconds = 3600;
/** Half of the time after which an hour is folded: clocks may differ, and writes may take a while. */
const settledSeconds = 300;

/** Marks for the hours of those rows, to be written before the rows are. A mark per hour and minute is enough. */
export function lateMarks(rows: readonly Pick<LogRecord, 'created_at'>[], options: { now: number; by: string }): Write[] {
  const { now, by } = options;
  const hours = new Set<number>();
  for (const { created_at: at } of rows) {
    const hour = at - (at % hourSeconds);
    if (hour + hourSeconds + settledSeconds <= now / 1000) hours.add(hour);
  }
  return [...hours].map((hour) => {
    const mark: LogFoldRecord = { id: `late:${hour}:${by}:${Math.floor(now / 60_000)}`, hour, marked_at: now };
    return { insert: mark, into: 'log_folds', ignoreConflict: true };
  });
}
