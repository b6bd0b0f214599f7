import type { Language } from '#shared/errors.ts';
import type { Task } from '#shared/tasks.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { AppContext } from '#server/context.ts';
import { callersName, dataOf } from '#server/tasks/task-data.ts';
import { factsOf, madeOf } from '#server/tasks/videos/video-facts.ts';
import { failReasonIn } from '#server/tasks/fail-reason.ts';
import { videoFormatOf } from '#server/tasks/videos/registry.ts';

/** Owners do not see through which channel it went. */
export function presentTask(
  context: Pick<AppContext, 'channels'>,
  task: TaskRecord,
  { isOwn, language }: { isOwn: boolean; language: Language },
): Task {
  const { id, created_at, updated_at, platform, user_id, quota, refunded_quota, action, status, progress } = task;
  return {
    id,
    created_at,
    updated_at,
    task_id: callersName(task),
    platform,
    user_id,
    username: isOwn ? '' : task.username,
    channel_id: isOwn ? 0 : task.channel_id,
    channel_name: isOwn ? '' : (context.channels.get(task.channel_id)?.name ?? ''),
    request_id: task.request_id,
    quota,
    refunded_quota,
    action,
    status,
    fail_reason: failReasonIn(task, language),
    submit_time: seconds(task.submit_time),
    start_time: seconds(task.start_time),
    finish_time: seconds(task.finish_time),
    progress,
    properties: { input: task.prompt },
    // A provider's report on a video is translated, not passed through.
    data: platform === 'video' ? null : dataOf(task),
    ...(platform === 'video' ? { video: presentVideo(context, task) } : {}),
  };
}

function presentVideo({ channels }: Pick<AppContext, 'channels'>, task: TaskRecord): Task['video'] {
  const facts = factsOf(task) ?? { seconds: 0, size: '' };
  // An address that wants the channel's key is of no use to anybody else.
  const isOpen = videoFormatOf(channels.get(task.channel_id)?.provider ?? null)?.isBehindKey !== true;
  return {
    model: task.model,
    seconds: facts.seconds,
    size: facts.size,
    url: isOpen ? (madeOf(task).url ?? '') : '',
    poster: task.image_url,
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
