// Kling's format for its callers, whichever provider makes the video.
// https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo
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
import { orderOf, stateOf } from './present-video.ts';

export const klingNames = criticalMembers(['model_name', 'prompt', 'duration', 'mode', 'aspect_ratio', 'image', 'image_tail', 'sound']);

const resolutions = { std: '720p', pro: '1080p' } as const;
const ratios = ['16:9', '9:16', '1:1'] as const;
const usualModel = 'kling-v1';
/** Kling's error codes by status: https://app.klingai.com/global/dev/document-api/apiReference/commonInfo */
const codes: Readonly<Record<number, number>> = { 401: 1000, 402: 1101, 403: 1103, 404: 1203, 429: 1302, 400: 1201 };
const states = { queued: 'submitted', in_progress: 'processing', completed: 'succeed', failed: 'failed' } as const;

/** @throws {AppError} `invalid_request` */
export function readKling(body: Body, takesPicture: boolean): VideoRequest {
  const fields = new StrictFields(body);
  // Callbacks are not supported.
  for (const name of ['callback_url', 'camera_control', 'static_mask', 'dynamic_masks']) {
    const value = fields.raw(name);
    if (value !== undefined && value !== '') throw badField(name, notServed);
  }
  const mode = fields.oneOf('mode', ['std', 'pro']) ?? 'std';
  const size = sizeNamed(resolutions[mode], fields.oneOf('aspect_ratio', ratios) ?? '16:9') ?? { width: 1280, height: 720 };
  const image = fields.text('image') ?? '';
  if (takesPicture && image === '') throw badField('image', fieldRules.required);
  const tail = fields.text('image_tail') ?? '';
  const sound = fields.oneOf('sound', ['on', 'off']);
  return readGeneration({
    model: fields.text('model_name') ?? usualModel,
    prompt: fields.text('prompt'),
    negative_prompt: fields.text('negative_prompt'),
    duration: fields.raw('duration'),
    ...size,
    images: takesPicture ? [image, ...(tail === '' ? [] : [tail])] : [],
    ...(sound === undefined ? {} : { generate_audio: sound === 'on' }),
  });
}

const notServed = { zh: '暂不支持', en: 'is not served here' };

export function klingObject(task: TaskRecord, { url, language }: { url: string; language: Language }): object {
  const state = stateOf(task);
  const videos = [{ id: callersName(task), url, duration: String(orderOf(task).seconds) }];
  return succeeded({
    task_id: callersName(task),
    task_status: states[state],
    task_status_msg: failReasonIn(task, language),
    created_at: task.created_at * 1000,
    updated_at: task.updated_at * 1000,
    ...(state === 'completed' ? { task_result: { videos } } : {}),
  });
}

function succeeded(data: object): object {
  return { code: 0, message: 'SUCCEED', data };
}

/** Returns null for errors that are not the gateway's. */
export function klingRefusal(failure: unknown, language: Language, requestId: string): TaskAnswer | null {
  const error = failure instanceof TaskFailure ? failure.error : failure;
  if (!(error instanceof AppError)) return null;
  const said = failure instanceof TaskFailure && failure.reported?.errorCode === null ? failure.reported : undefined;
  const status = said?.status ?? error.status;
  return refused(status, said?.message ?? errorText(error.code, language, error.details), requestId);
}

/** Writes a provider's error of status 200 in this format. */
export function klingAnswer({ status, body }: TaskAnswer, requestId: string): TaskAnswer {
  const error = 'error' in body ? body.error : undefined;
  if (status === 200 || !isObject(error)) return { status, body: { ...body, request_id: requestId } };
  return refused(status, typeof error['message'] === 'string' ? error['message'] : '', requestId);
}

function refused(status: number, message: string, requestId: string): TaskAnswer {
  return { status, body: { code: codes[status] ?? 5000, message, request_id: requestId, data: null } };
}
