import type { Task } from '#shared/tasks.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { dataOf } from '#server/tasks/task-data.ts';

/** Owners do not see through which channel it went. */
export function presentTask(task: TaskRecord, { isOwn }: { isOwn: boolean }): Task {
  const { id, created_at, updated_at, platform, user_id, quota, refunded_quota, action, status, fail_reason, progress } = task;
  return {
    id,
    created_at,
    updated_at,
    task_id: task.upstream_id ?? '',
    platform,
    user_id,
    username: isOwn ? '' : task.username,
    channel_id: isOwn ? 0 : task.channel_id,
    quota,
    refunded_quota,
    action,
    status,
    fail_reason,
    submit_time: seconds(task.submit_time),
    start_time: seconds(task.start_time),
    finish_time: seconds(task.finish_time),
    progress,
    properties: { input: task.prompt },
    data: dataOf(task),
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
