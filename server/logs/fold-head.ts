import type { Database } from '#server/db/database.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';

/** Returns the record of the progress; creates it if there is none. */
export async function openHead({ db, now }: { db: Database; now(): number }): Promise<LogFoldRecord> {
  const fresh: LogFoldRecord = {
    id: 'head',
    until: 0,
    days_until: 0,
    generation: 0,
    usage_until: 0,
    usage_days_until: 0,
    latency_until: 0,
    quarters_from: 0,
    since: Math.floor(now() / 1000),
  };
  return (
    (await db
      .collection('log_folds')
      .patch(
        { id: 'head' },
        { max: { generation: 0, usage_until: 0, usage_days_until: 0, latency_until: 0 } },
        { insertIfMissing: fresh },
      )) ?? fresh
  );
}
