// Deletes log rows: those before a time that an administrator has set, and those older than the retention time. One
// process at a time starts, any may continue; the job finishes what was started.
import type { AppContext } from '#server/context.ts';
import { type Closed, closeRows } from '#server/money/log-closing.ts';

const daySeconds = 86_400;
/** Approximate end of a run; the next run continues. */
const runMs = 8_000;
const sessionsAtOnce = 200;

/** Job. */
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

/** Deletes rows before `until` (unix seconds) for at most this time; the job does the rest. */
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

/** Deletes sessions whose calls are all deleted. An active session retains its sums. */
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
