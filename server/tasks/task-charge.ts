// What became of the charge of a task whose submission was cut short. A charge is a row of the log; before it is written the task is
// marked. A row that is not there when the books of its process are closed will never be, and one that came after them is charged to
// nobody and will be removed.
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { knownReason } from './fail-reason.ts';
import { closedBooksOf, isCounted } from '#server/money/recovery/crash-recovery.ts';

export const lostReason = knownReason({ code: 'task_submission_lost' });

/**
 * The task with its charge known, or still `open`. A task that was to be paid for and was charged by nobody fails, and the log is still to tell
 * its channel (`lost_log_id`): delivered, it would be free.
 */
export async function resolveCharge({ db, now }: Pick<AppContext, 'db' | 'now'>, task: TaskRecord): Promise<TaskRecord> {
  if (task.charge !== 'open') return task;
  // In this order: a process that has closed its books in between has written all its rows before.
  const { state } = (await db.collection('processes').get(task.process)) ?? { state: 'settled' };
  const { paid, isCertain } = await chargeOf(db, task);
  if (paid === null ? state !== 'settled' : !isCertain) return task;
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
    if (failed !== null) return failed;
  }
  const resolved = await tasks.patch({ id: task.id, charge: 'open' }, { set: paid ?? uncharged, unset: ['check_at'] });
  return resolved ?? (await db.collection('tasks').get(task.id)) ?? task;
}

export interface TaskCharge {
  /**
   * What was charged, which is less than was asked for where the reservation was lost meanwhile and the account has no more: that, and no
   * more, is what a refund gives back. Null: there is no row, or not yet.
   */
  paid: { charge: 'done'; quota: number; token_quota: number } | null;
  /** False: whether that row counts is not decided yet, except for whoever has settled it. */
  isCertain: boolean;
}

export async function chargeOf(db: AppContext['db'], { request_id }: Pick<TaskRecord, 'request_id'>): Promise<TaskCharge> {
  let charge: TaskCharge = { paid: null, isCertain: false };
  // By its index alone: that is a short read, which waits for no other.
  for (const row of await db.collection('logs').find({ request_id }, { limit: 10 })) {
    if (row.process === undefined) continue;
    const counts = await isCharged(db, row);
    if (counts === false) continue;
    charge = { paid: { charge: 'done', quota: row.quota, token_quota: row.token_quota ?? 0 }, isCertain: counts === true };
    if (charge.isCertain) break;
  }
  return charge;
}

/** Whether a row of a call has been charged; null: not decided. */
export async function isCharged(db: AppContext['db'], { process: id = '', seq = 0 }: LogRecord): Promise<boolean | null> {
  const process = await db.collection('processes').get(id);
  // Processes are forgotten long after rows that do not count were removed.
  if (process === null) return true;
  const books = closedBooksOf(process);
  if (books !== null) return isCounted(books, seq);
  return seq <= process.settled_seq ? true : null;
}
