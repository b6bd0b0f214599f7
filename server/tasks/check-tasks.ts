// Submissions that were cut short, by a process that ended in the middle: those that no upstream is known to have taken end as
// failed, and of the others it is found out whether they were charged.
import type { AppContext } from '#server/context.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { failLost, failUntaken, reportLost } from './follow-task.ts';
import { lostReason, resolveCharge } from './task-charge.ts';

/** Milliseconds that a submission may take at most, all its attempts together. */
export const submissionMs = 180_000;
/** When somebody looks what became of it: well after it must be over. */
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

/** True: nobody has to look again. */
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
  // Of one that was taken meanwhile the charge may be on its way.
  const known = await context.db.collection('tasks').patch({ id: task.id, charge: { ne: 'open' } }, { unset: ['check_at'] });
  return known !== null;
}

/**
 * As long as the process that took it lives, its age is told by the clock of that process, under which its heartbeats are written: the
 * clock of whoever looks may be ahead by any time, and would give up what is being drawn.
 */
async function isUnderWay({ db }: AppContext, { process, submit_time: since }: TaskRecord): Promise<boolean> {
  const owner = await db.collection('processes').get(process);
  return owner?.state === 'alive' && owner.heartbeat_at - since < checkAfter;
}
