// Jimeng's format for its callers, whichever provider makes the video. Requests carry our key instead of a signature.
// https://www.volcengine.com/docs/85621/1544716
import { AppError, errorText, type Language } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { TaskFailure } from '#server/call/tasks/task-failure.ts';
import { failReasonIn } from '#server/tasks/fail-reason.ts';
import { callersName } from '#server/tasks/task-data.ts';
import { sizeNamed } from '#server/tasks/videos/frame.ts';
import { readGeneration, type VideoRequest } from './read-video-request.ts';
import { stateOf } from './present-video.ts';

export const jimengNames = criticalMembers(
  ['req_key', 'prompt', 'frames', 'aspect_ratio', 'seed'],
  ['image_urls', 'binary_data_base64', 'task_id'],
);

const framesPerSecond = 24;
const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'] as const;
/** Service names contain the resolution. */
const larger = /1080p/i;
const done = 10_000;
/** Jimeng's error codes by status. */
const codes: Readonly<Record<number, number>> = { 400: 50_215, 401: 50_400, 403: 50_400, 404: 50_218, 429: 50_429 };
const failed = 50_500;
const states = { queued: 'in_queue', in_progress: 'generating', completed: 'done' } as const;

/** @throws {AppError} `invalid_request` */
export function readJimeng(body: Body): VideoRequest {
  const fields = new StrictFields(body);
  const size = sizeNamed(larger.test(fields.text('req_key') ?? '') ? '1080p' : '720p', fields.oneOf('aspect_ratio', ratios) ?? '16:9');
  const seed = fields.integer('seed', -1, 4_294_967_295);
  const pictures = [...(fields.list('image_urls') ?? []), ...(fields.list('binary_data_base64') ?? [])];
  return readGeneration({
    model: fields.requiredText('req_key'),
    prompt: fields.text('prompt'),
    duration: secondsIn(fields),
    ...size,
    images: pictures,
    ...(seed === undefined || seed === -1 ? {} : { seed }),
  });
}

/** The first frame plus 24 per second: 121 frames are five seconds. */
function secondsIn(fields: StrictFields): number | undefined {
  const frames = fields.integer('frames', 1, 60 * framesPerSecond + 1);
  if (frames === undefined) return undefined;
  if (frames === 1 || (frames - 1) % framesPerSecond !== 0) throw badField('frames', wholeSeconds);
  return (frames - 1) / framesPerSecond;
}

const wholeSeconds = { zh: '必须是 24 × 秒数 + 1', en: 'must be 24 times the seconds, and 1' };

/** @throws {AppError} `invalid_request` */
export function taskIn(body: Body): string {
  const id = new StrictFields(body).requiredText('task_id');
  if (id === '') throw badField('task_id', fieldRules.required);
  return id;
}

export function jimengTaken(task: TaskRecord): object {
  return { code: done, message: 'Success', status: done, data: { task_id: callersName(task) } };
}

export function jimengObject(task: TaskRecord, { url, language }: { url: string; language: Language }): object {
  const state = stateOf(task);
  if (state === 'failed') return { code: failed, message: failReasonIn(task, language), status: failed, data: null };
  const data = { task_id: callersName(task), status: states[state], ...(state === 'completed' ? { video_url: url } : {}) };
  return { code: done, message: 'Success', status: done, data };
}

/** Returns null for errors that are not the gateway's. */
export function jimengRefusal(failure: unknown, language: Language, requestId: string): TaskAnswer | null {
  const error = failure instanceof TaskFailure ? failure.error : failure;
  if (!(error instanceof AppError)) return null;
  const said = failure instanceof TaskFailure && failure.reported?.errorCode === null ? failure.reported : undefined;
  const status = said?.status ?? error.status;
  return refused(status, said?.message ?? errorText(error.code, language, error.details), requestId);
}

/** Writes a provider's error of status 200 in this format. */
export function jimengAnswer({ status, body }: TaskAnswer, requestId: string): TaskAnswer {
  const error = 'error' in body ? body.error : undefined;
  if (status === 200 || !isObject(error)) return { status, body: { ...body, request_id: requestId } };
  return refused(status, typeof error['message'] === 'string' ? error['message'] : '', requestId);
}

function refused(status: number, message: string, requestId: string): TaskAnswer {
  const code = codes[status] ?? failed;
  return { status, body: { code, message, request_id: requestId, status: code, data: null } };
}
