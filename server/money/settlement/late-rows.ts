// Marks hours before late changes: rows are folded into hourly sums (`server/logs/fold-log.ts`) some time after the
// hour. A mark is written before a row of a possibly folded hour is written or removed; until the hour is folded again,
// it is read from its rows.
import type { Write } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';

const hourSeconds = 3600;
/** Seconds after an hour from which its late rows are marked: half the delay of folding, for clock differences and slow writes. */
const settledSeconds = 300;

/** Marks for the hours of the rows, to be written first. One per hour and minute is enough. */
export function lateMarks(rows: readonly Pick<LogRecord, 'created_at'>[], options: { now: number; by: string }): Write[] {
  const { now, by } = options;
  let hours: Set<number> | undefined;
  for (const { created_at: at } of rows) {
    const hour = at - (at % hourSeconds);
    if (hour + hourSeconds + settledSeconds <= now / 1000) (hours ??= new Set()).add(hour);
  }
  if (hours === undefined) return [];
  return [...hours].map((hour) => {
    const mark: LogFoldRecord = { id: `late:${hour}:${by}:${Math.floor(now / 60_000)}`, hour, marked_at: now };
    return { insert: mark, into: 'log_folds', ignoreConflict: true };
  });
}
