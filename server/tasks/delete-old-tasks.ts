// Deletes the records of tasks that are as old as the rows of the log that the site deletes. What they cost and what came back stays in
// the log's closing entries and in the ledger.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { taskPlatforms } from './platforms/registry.ts';

const daySeconds = 86_400;
const deletedAtOnce = 200;
/** A run ends about then and the next one goes on. */
const runMs = 8_000;

/** Nobody has anything to do with it any more: it has ended, and its charge and refund are known. */
const finished: Filter<TaskRecord> = {
  running_user_id: { exists: false },
  poll_at: { exists: false },
  check_at: { exists: false },
  refund_due_at: { exists: false },
  charge: { ne: 'open' },
};

/** The job. Returns how many went. */
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
      // Each is judged once more as it goes.
      count += await tasks.remove({ and: [{ id: { in: rows.map(({ id }) => id) } }, finished] });
      if (rows.length < deletedAtOnce) break;
      if (performance.now() - begin > runMs) return count;
    }
  }
  return count;
}
