import type { Language } from '#shared/errors.ts';
import type { Drawing } from '#shared/drawings.ts';
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { failReasonIn } from '#server/tasks/fail-reason.ts';
import { imageAddress } from '#server/tasks/image-address.ts';

/** Owners do not see through which channel it went. */
export function presentDrawing(
  context: AppContext,
  task: TaskRecord,
  { isOwn, language }: { isOwn: boolean; language: Language },
): Drawing {
  const { id, user_id, code, action, prompt, prompt_en, description, state, status, progress } = task;
  const { submit_time, start_time, finish_time, quota, refunded_quota, buttons, properties } = task;
  return {
    id,
    user_id,
    username: isOwn ? '' : task.username,
    code,
    action,
    mj_id: task.upstream_id ?? '',
    prompt,
    prompt_en,
    description,
    state,
    submit_time,
    start_time,
    finish_time,
    image_url: imageAddress(context, task),
    status,
    progress,
    fail_reason: failReasonIn(task, language),
    channel_id: isOwn ? 0 : task.channel_id,
    channel_name: isOwn ? '' : (context.channels.get(task.channel_id)?.name ?? ''),
    request_id: task.request_id,
    quota,
    refunded_quota,
    buttons,
    properties,
  };
}
