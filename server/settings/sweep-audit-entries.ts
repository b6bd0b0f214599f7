// Retention of the audit log: its own, apart from that of the usage log.
import { auditIdAt } from '#server/audit-log/entries.ts';
import type { Database } from '#server/db/database.ts';
import type { Settings } from '#server/settings/settings.ts';

const dayMs = 86_400_000;
const atOnce = 1_000;
/** Differences of settings read at once, each of up to 100,000 characters. */
const changesAtOnce = 100;
/** Steps of a run; the rest follows in the next one. */
const mostSteps = 100;

interface SweepContext {
  db: Database;
  settings: Pick<Settings, 'get'>;
  now(): number;
}

/** A job: removes entries that are older than the retention, and the differences of settings with them. */
export async function sweepAuditEntries({ db, settings, now }: SweepContext): Promise<void> {
  const days = settings.get('AuditRetentionDays');
  if (days === 0) return;
  const before = now() - days * dayMs;
  const entries = db.collection('audit_entries');
  for (let step = 0; step < mostSteps; step += 1) {
    const [last] = await entries.find({ id: { lt: auditIdAt(before) } }, { sort: [['id', 1]], skip: atOnce - 1, limit: 1 });
    if (last === undefined) {
      await entries.remove({ id: { lt: auditIdAt(before) } });
      break;
    }
    await entries.remove({ id: { lte: last.id } });
  }
  await sweepOptionChanges(db, Math.floor(before / 1000));
}

/** Ids are in the order of saves: the oldest are read until one is recent enough. @param before Unix seconds */
async function sweepOptionChanges(db: Database, before: number): Promise<void> {
  const changes = db.collection('option_changes');
  for (let step = 0; step < mostSteps; step += 1) {
    const oldest = await changes.find({}, { sort: [['id', 1]], limit: changesAtOnce });
    const recent = oldest.findIndex(({ created_at: at }) => at >= before);
    const old = recent === -1 ? oldest : oldest.slice(0, recent);
    if (old.length > 0) await changes.remove({ id: { in: old.map(({ id }) => id) } });
    if (recent !== -1 || oldest.length < changesAtOnce) return;
  }
}
