// Determines the charge of a task whose submission was interrupted. A charge is a log row; the task is marked before it
// is written. A row that is missing when its process's books are closed will never appear, and one written after that
// does not count and will be removed.
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { resolvedCharge } from '#server/money/recovery/call-charge.ts';
import { noteEnded } from './note-task.ts';
import { knownReason } from '#server/tasks/fail-reason.ts';

export const lostReason = knownReason({ code: 'task_submission_lost' });

/**
 * Returns the task with its charge resolved, or still `open`. A task that should have been charged but was not fails,
 * and a log row about its channel is due (`lost_log_id`): it must not be delivered for free.
 */
export async function resolveCharge(
  { db, now, workObserver }: Pick<AppContext, 'db' | 'now' | 'workObserver'>,
  task: TaskRecord,
): Promise<TaskRecord> {
  if (task.charge !== 'open') return task;
  const paid = await resolvedCharge(db, task);
  if (paid === undefined) return task;
  const tasks = db.collection('tasks');
  const uncharged = { charge: 'none', quota: 0, token_quota: 0 } as const;
  if (paid === null && task.quota > 0) {
    const lost = {
      ...uncharged,
      status: 'FAILURE',
      progress: '100%',
      ...lostReason,
      image_url: '',
      finish_time: now(),
      updated_at: Math.floor(now() / 1000),
      lost_log_id: await db.nextId('logs'),
      asked_channel_id: task.channel_id,
      check_at: now(),
    };
    const isDelivered = { id: task.id, charge: 'open', status: { ne: 'FAILURE' } } as const;
    const failed = await tasks.patch(isDelivered, { set: lost, unset: ['running_user_id', 'poll_at'] });
    // One that had ended has been noted.
    if (failed !== null) return task.running_user_id === undefined ? failed : noteEnded({ workObserver }, failed, 'failed');
  }
  const resolved = await tasks.patch({ id: task.id, charge: 'open' }, { set: paid ?? uncharged, unset: ['check_at'] });
  return resolved ?? (await db.collection('tasks').get(task.id)) ?? task;
}
