// Resolves submissions whose process died: those that no upstream is known to have accepted fail; for the others,
// determines whether they were charged.
import type { AppContext } from '#server/context.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { failLost, failUntaken, reportLost } from './follow-task.ts';
import { lostReason, resolveCharge } from './task-charge.ts';

/** Maximum milliseconds of a submission with all attempts. */
export const submissionMs = 180_000;
/** Time at which it is looked at, well after its end. */
export const checkAfter = 600_000;
const recheckEvery = 60_000;
const checkedAtOnce = 200;

export async function checkTasks(context: AppContext): Promise<number> {
  const tasks = context.db.collection('tasks');
  const due = await tasks.find({ check_at: { lte: context.now() } }, { sort: [['check_at', 1]], limit: checkedAtOnce });
  await eachDue({
    items: due,
    work: (task) => check(context, task),
    postpone: ({ id }) => tasks.patch({ id, check_at: { exists: true } }, { set: { check_at: context.now() + recheckEvery } }),
  });
  return due.length;
}

/** Returns true if it needs no further look. */
async function check(context: AppContext, task: TaskRecord): Promise<boolean> {
  if (task.lost_log_id !== undefined) {
    await reportLost(context, task);
    return true;
  }
  if (task.charge === 'open') {
    const resolved = await resolveCharge(context, task);
    if (resolved.lost_log_id !== undefined) await reportLost(context, resolved);
    return resolved.charge !== 'open';
  }
  if (task.poll_at === undefined) {
    if (await isUnderWay(context, task)) return false;
    const end = task.asked_channel_id === undefined ? failUntaken : failLost;
    await end(context, task, lostReason);
  }
  // If it was accepted meanwhile, its charge may be pending.
  const known = await context.db.collection('tasks').patch({ id: task.id, charge: { ne: 'open' } }, { unset: ['check_at'] });
  return known !== null;
}

/**
 * While the process that accepted it lives, its age is measured by that process's clock, as in its heartbeats: the
 * clock of another process may be ahead by any time, and would give up a running task.
 */
async function isUnderWay({ db }: AppContext, { process, submit_time: since }: TaskRecord): Promise<boolean> {
  const owner = await db.collection('processes').get(process);
  return owner?.state === 'alive' && owner.heartbeat_at - since < checkAfter;
}
