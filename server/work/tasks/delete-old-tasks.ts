// Deletes task records older than the log's retention time. Their costs and refunds stay in the log's closing entries
// and in the ledger.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { taskPlatforms } from '#server/tasks/platforms/registry.ts';

const daySeconds = 86_400;
const deletedAtOnce = 200;
/** Approximate end of a run; the next run continues. */
const runMs = 8_000;

/** Tasks that have ended, with their charge and refund resolved. */
const finished: Filter<TaskRecord> = {
  running_user_id: { exists: false },
  poll_at: { exists: false },
  check_at: { exists: false },
  refund_due_at: { exists: false },
  charge: { ne: 'open' },
};

/** Job; returns the number of deleted records. */
export async function deleteOldTasks({ db, settings, now }: Pick<AppContext, 'db' | 'settings' | 'now'>): Promise<number> {
  const days = settings.get('LogRetentionDays');
  if (days === 0) return 0;
  const before = Math.floor(now() / 1000) - days * daySeconds;
  const tasks = db.collection('tasks');
  const begin = performance.now();
  let count = 0;
  for (const { name } of Object.values(taskPlatforms)) {
    for (;;) {
      const old: Filter<TaskRecord> = { and: [{ listed: name, created_at: { lt: before } }, finished] };
      const rows = await tasks.find(old, { sort: [['created_at', 1]], limit: deletedAtOnce });
      // The filter is checked again at deletion.
      count += await tasks.remove({ and: [{ id: { in: rows.map(({ id }) => id) } }, finished] });
      if (rows.length < deletedAtOnce) break;
      if (performance.now() - begin > runMs) return count;
    }
  }
  return count;
}
