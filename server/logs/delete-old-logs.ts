// Deletes rows of the log: those that an administrator has named by a moment, and those that are older than the site keeps them.
// One process at a time begins, any may go on: what was begun is finished by the job.
import type { AppContext } from '#server/context.ts';
import { closeRows } from '#server/money/log-closing.ts';
import type { Closed } from '#server/money/log-closing.ts';

const daySeconds = 86_400;
/** A run ends about then and the next one goes on. */
const runMs = 8_000;
const sessionsAtOnce = 200;

/** The job. */
export async function deleteOldLogs(context: AppContext): Promise<void> {
  const { db, settings, now } = context;
  const days = settings.get('LogRetentionDays');
  const stored = days === 0 ? 0 : Math.floor(now() / 1000) - days * daySeconds;
  const head = await db.collection('log_closings').get('head');
  const until = Math.max(stored, head?.until ?? 0);
  if (until === 0 && head?.batch === undefined) return;
  const { isDone } = await closeRows(context, until, overdue(runMs));
  if (isDone) await deleteOldSessions(context, until);
  if (isDone && head?.until !== undefined) await forget(context, head.until);
}

/** Rows before `until` (unix seconds) go: as far as it gets in that time, the rest by the job. */
export async function deleteBefore(context: Pick<AppContext, 'db' | 'now' | 'log'>, until: number, milliseconds: number): Promise<Closed> {
  const heads = context.db.collection('log_closings');
  await heads.patch({ id: 'head' }, { max: { until } }, { insertIfMissing: { id: 'head', last: 0, until } });
  const closed = await closeRows(context, until, overdue(milliseconds));
  if (closed.isDone) {
    await deleteOldSessions(context, until);
    await forget(context, until);
  }
  return closed;
}

/** Those whose calls are all gone. A session that goes on keeps its sums, whatever of its calls the log still has. */
async function deleteOldSessions({ db }: Pick<AppContext, 'db'>, until: number): Promise<void> {
  const sessions = db.collection('call_sessions');
  for (;;) {
    const old = await sessions.find({ seen_at: { lt: until } }, { sort: [['seen_at', 1]], limit: sessionsAtOnce });
    if (old.length === 0) return;
    const removed = await sessions.remove({ and: [{ id: { in: old.map(({ id }) => id) } }, { seen_at: { lt: until } }] });
    if (removed === 0) return;
  }
}

async function forget({ db }: Pick<AppContext, 'db'>, until: number): Promise<void> {
  await db.collection('log_closings').patch({ id: 'head', until }, { unset: ['until'] });
}

function overdue(milliseconds: number): () => boolean {
  const startedAt = performance.now();
  return () => performance.now() - startedAt > milliseconds;
}
