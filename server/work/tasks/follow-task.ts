// Applies reports about a task, from the polling job, the upstream's callback or the timeout. Each is one change of the
// record that requires a running task, so only one of several can end it.
import { LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { Patch } from '#server/db/collection.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { type FailReason, knownReason } from '#server/tasks/fail-reason.ts';
import type { ReportedFields, TaskReport } from '#server/tasks/platforms/platform.ts';
import { noteEnded } from './note-task.ts';
import { refundTask } from './refund-task.ts';
import { resolveCharge } from './task-charge.ts';

/** Polling interval in milliseconds. */
export const pollEvery = 15_000;

export const timeoutReason = (milliseconds: number) => knownReason({ code: 'task_timeout', facts: { hours: milliseconds / 3600_000 } });
export const lostChannelReason = (channel: number) => knownReason({ code: 'task_channel_gone', facts: { channel } });

/** Returns the updated task; null if it had ended. */
export async function followTask(context: AppContext, task: TaskRecord, { outcome, fields }: TaskReport): Promise<TaskRecord | null> {
  if (outcome === 'failed') return failTask(context, task, fields);
  const now = context.now();
  // Results of uncharged tasks are not delivered yet: the next poll resolves the charge.
  if (outcome === 'succeeded' && (await resolveCharge(context, task)).charge !== 'open') {
    const finished = await running(context, task, {
      set: { ...fieldsFor(task, fields), finish_time: fields.finish_time || now, updated_at: seconds(now) },
      unset: ['running_user_id', 'poll_at'],
    });
    return noteEnded(context, finished, 'finished');
  }
  const changed = fieldsFor(task, fields);
  const isOther = Object.entries(changed).some(([name, value]) => Reflect.get(task, name) !== value);
  return running(context, task, {
    set: { ...(isOther ? { ...changed, code: task.code === 0 ? 0 : 1, updated_at: seconds(now) } : {}), poll_at: now + pollEvery },
  });
}

/** Ends the task as failed and refunds it. Returns null if it had ended. */
export async function failTask(context: AppContext, task: TaskRecord, fields: ReportedFields): Promise<TaskRecord | null> {
  const isDue = task.quota > 0;
  const due = isDue ? { refund_due_at: context.now(), refund_log_id: await context.db.nextId('logs') } : {};
  const failed = noteEnded(context, await running(context, task, failure(context, task, { ...fields, ...due })), 'failed');
  if (failed !== null && isDue) await refundTask(context, failed);
  return failed;
}

/**
 * Ends a submission that no upstream is known to have accepted, and its check in the same write: after a crash before
 * it, `checkTasks` resolves it. Returns null if it has ended or was accepted meanwhile.
 */
export async function failUntaken(
  context: AppContext,
  task: TaskRecord,
  fields: FailReason & Partial<Pick<TaskRecord, 'code'>>,
): Promise<TaskRecord | null> {
  const isUntaken = { id: task.id, running_user_id: { exists: true }, poll_at: { exists: false } };
  const { set, unset } = failure(context, task, fields);
  const failed = await context.db.collection('tasks').patch(isUntaken, { set, unset: [...unset, 'check_at', 'asked_channel_id'] });
  return noteEnded(context, failed, 'failed');
}

/**
 * Same for a submission that a channel may have accepted without a response: free for its owner, but perhaps billed to
 * the channel. The log names the channel; until that row is written, the check stays.
 */
export async function failLost(context: AppContext, task: TaskRecord, fields: FailReason): Promise<void> {
  const isUntaken = { id: task.id, running_user_id: { exists: true }, poll_at: { exists: false } };
  const { set, unset } = failure(context, task, { ...fields, lost_log_id: await context.db.nextId('logs') });
  const failed = noteEnded(context, await context.db.collection('tasks').patch(isUntaken, { set, unset }), 'failed');
  if (failed !== null) await reportLost(context, failed);
}

/** Writes the row once, however often it is retried. */
export async function reportLost(context: AppContext, task: TaskRecord): Promise<void> {
  const { id, user_id, username, token_id, model, action, asked_channel_id: channel = 0, lost_log_id: logId, request_id } = task;
  if (logId === undefined) return;
  await writeLog(context, {
    id: logId,
    user_id,
    username,
    type: LogType.system,
    token_id,
    model_name: model,
    channel_id: channel,
    content: `任务 ${request_id}（${action}）提交后没有得到上游的应答，未扣费；上游可能已经接受并计费`,
    event: { code: 'task_lost', request_id, action },
  });
  await context.db.collection('tasks').patch({ id, lost_log_id: logId }, { unset: ['lost_log_id', 'check_at'] });
}

function failure({ now }: AppContext, task: TaskRecord, fields: Partial<TaskRecord>) {
  const { finish_time: finish } = fields;
  return {
    set: { ...fieldsFor(task, fields), status: 'FAILURE', progress: '100%', finish_time: finish || now(), updated_at: seconds(now()) },
    unset: ['running_user_id', 'poll_at'],
  } satisfies Patch<TaskRecord>;
}

function running({ db }: AppContext, { id }: TaskRecord, patch: Patch<TaskRecord>): Promise<TaskRecord | null> {
  return db.collection('tasks').patch({ id, running_user_id: { exists: true } }, patch);
}

/** The caller's prompt is not overwritten. */
function fieldsFor<Fields extends ReportedFields>(task: TaskRecord, { prompt, ...fields }: Fields) {
  return task.prompt === '' && prompt !== undefined ? { ...fields, prompt } : fields;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
