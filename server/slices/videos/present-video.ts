// Presenters of video tasks.
import type { Language } from '#shared/errors.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { failReasonIn } from '#server/tasks/fail-reason.ts';
import { callersName } from '#server/tasks/task-data.ts';
import { factsOf, type VideoFacts } from '#server/tasks/videos/video-facts.ts';

type VideoState = 'queued' | 'in_progress' | 'completed' | 'failed';

export function stateOf({ status }: Pick<TaskRecord, 'status'>): VideoState {
  if (status === 'SUCCESS') return 'completed';
  if (status === 'FAILURE') return 'failed';
  return status === 'IN_PROGRESS' ? 'in_progress' : 'queued';
}

/** Facts of an accepted video. */
export function orderOf(task: TaskRecord): VideoFacts {
  const facts = factsOf(task);
  if (facts === undefined) throw new Error(`The task ${task.id} is no video`);
  return facts;
}

/** https://platform.openai.com/docs/api-reference/videos/object */
export function presentVideo(task: TaskRecord, language: Language): Record<string, unknown> {
  const { seconds, size, remixed_from } = orderOf(task);
  const status = stateOf(task);
  return {
    id: callersName(task),
    object: 'video',
    created_at: task.created_at,
    status,
    model: task.model,
    progress: Number.parseInt(task.progress, 10) || 0,
    prompt: task.prompt,
    seconds: String(seconds),
    size,
    completed_at: status === 'completed' ? Math.floor(task.finish_time / 1000) : null,
    expires_at: null,
    remixed_from_video_id: remixed_from ?? null,
    error: status === 'failed' ? { code: 'video_generation_failed', message: failReasonIn(task, language) } : null,
  };
}

/** Object of `/v1/video/generations`. `url`: URL of the video, read with the caller's key. */
export function presentGeneration(task: TaskRecord, { url, language }: { url: string; language: Language }): Record<string, unknown> {
  const { seconds, size } = orderOf(task);
  const [width, height] = size.split('x').map(Number);
  const status = stateOf(task);
  return {
    id: callersName(task),
    task_id: callersName(task),
    object: 'video',
    created_at: task.created_at,
    model: task.model,
    status,
    progress: Number.parseInt(task.progress, 10) || 0,
    ...(status === 'completed' ? { url, format: 'mp4' } : {}),
    metadata: { duration: seconds, width, height },
    error: status === 'failed' ? { code: 'video_generation_failed', message: failReasonIn(task, language) } : null,
  };
}
