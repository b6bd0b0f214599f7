// What became of the charge of a task whose submission was cut short. A charge is a row of the log; before it is written the task is
// marked. A row that is not there when the books of its process are closed will never be.
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';

/** The task with its charge known, or still `open`. */
export async function resolveCharge({ db }: Pick<AppContext, 'db'>, task: TaskRecord): Promise<TaskRecord> {
  if (task.charge !== 'open') return task;
  // In this order: a process that has closed its books in between has written all its rows before.
  const { state } = (await db.collection('processes').get(task.process)) ?? { state: 'settled' };
  const row = await chargeOf(db, task);
  if (row === null && state !== 'settled') return task;
  const set: Partial<TaskRecord> = row ?? { charge: 'none', quota: 0, token_quota: 0 };
  const resolved = await db.collection('tasks').patch({ id: task.id, charge: 'open' }, { set, unset: ['check_at'] });
  return resolved ?? (await db.collection('tasks').get(task.id)) ?? task;
}

/**
 * What was charged, which is less than was asked for where the reservation was lost meanwhile and the account has no more: that, and no
 * more, is what a refund gives back. Null: there is no row, or not yet.
 */
export async function chargeOf(
  db: AppContext['db'],
  { request_id }: TaskRecord,
): Promise<{ charge: 'done'; quota: number; token_quota: number } | null> {
  const row = await db.collection('logs').first({ request_id, process: { exists: true } });
  return row === null ? null : { charge: 'done', quota: row.quota, token_quota: row.token_quota ?? 0 };
}
