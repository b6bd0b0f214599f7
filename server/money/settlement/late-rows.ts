// Rows are folded into sums by the hour (`server/logs/fold-log.ts`) some time after the hour. Whoever writes or removes a row
// of an hour that may be folded says so first: that hour is then read from its rows until it has been folded anew.
import type { Write } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';

const hourSeconds = 3600;
/** Half of the time after which an hour is folded, so that clocks may differ and writes may take a while. */
const settledSeconds = 300;

/** Announces those of the rows that are of hours long over. To be written before the rows are; once a minute and hour. */
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
