// Veo's format for callers of Gemini's API: `:predictLongRunning`, and operations.
// https://ai.google.dev/gemini-api/docs/video
import { AppError, type Language } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import { criticalMembers, openBelow } from '#server/formats/critical-members.ts';
import { dataUrl } from '#server/formats/media.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { failReasonIn } from '#server/tasks/fail-reason.ts';
import { callersName } from '#server/tasks/task-data.ts';
import { sizeNamed } from '#server/tasks/videos/frame.ts';
import { readGeneration, type VideoRequest } from './read-video-request.ts';
import { stateOf } from './present-video.ts';

export const geminiVideoNames = openBelow(
  criticalMembers(
    ['instances', 'prompt', 'parameters', 'durationSeconds', 'aspectRatio', 'resolution', 'sampleCount', 'generateAudio'],
    ['image', 'lastFrame', 'bytesBase64Encoded', 'inlineData'],
  ),
  'parameters',
);

const notServed = { zh: '暂不支持', en: 'is not served here' };
const mostSeconds = 60;
const people = ['dont_allow', 'allow_adult', 'allow_all'] as const;
const resolutions = ['720p', '1080p', '4k'] as const;
/** Fields that only Veo applies, and others ignore. */
const knownParameters: ReadonlySet<string> = new Set([
  'durationSeconds',
  'aspectRatio',
  'resolution',
  'sampleCount',
  'negativePrompt',
  'seed',
  'generateAudio',
  'personGeneration',
]);
const knownMembers: ReadonlySet<string> = new Set(['prompt', 'image', 'lastFrame']);

/** @throws {AppError} `invalid_request`, `account_object_refused` */
export function readPredicted(body: Body, model: string): VideoRequest {
  const fields = new StrictFields(body);
  const [instance, ...more] = fields.objects('instances');
  if (instance === undefined) throw badField('instances', fieldRules.required);
  if (more.length > 0) throw badField('instances', fieldRules.most(1));
  const parameters = fields.fields('parameters') ?? new StrictFields({}, 'parameters');
  // Unknown members cannot be dropped: they may change the result or its destination.
  for (const [part, known] of [
    [instance, knownMembers],
    [parameters, knownParameters],
  ] as const) {
    const [other] = part.others(known);
    if (other !== undefined) throw badField(part.path(other), notServed);
  }
  const prompt = instance.requiredText('prompt');
  if (prompt.trim() === '') throw badField(instance.path('prompt'), fieldRules.required);
  const count = parameters.integer('sampleCount', 1, 4) ?? 1;
  if (count !== 1) throw badField(parameters.path('sampleCount'), fieldRules.oneOf(['1']));
  const image = pictureIn(instance, 'image');
  const lastFrame = pictureIn(instance, 'lastFrame');
  if (image === undefined && lastFrame !== undefined) throw badField(instance.path('image'), fieldRules.required);
  const size = sizeNamed(parameters.oneOf('resolution', resolutions) ?? '720p', ratioIn(parameters));
  if (size === undefined) throw badField(parameters.path('aspectRatio'), fieldRules.invalid);
  return {
    ...readGeneration({
      model,
      prompt,
      negative_prompt: parameters.text('negativePrompt'),
      duration: secondsIn(parameters),
      ...size,
      images: [image, lastFrame].filter((picture) => picture !== undefined),
      seed: parameters.integer('seed', 0, 4_294_967_295),
      generate_audio: parameters.boolean('generateAudio'),
    }),
    people: parameters.oneOf('personGeneration', people),
  };
}

function ratioIn(parameters: StrictFields): string {
  const ratio = parameters.text('aspectRatio') ?? '16:9';
  if (!/^[1-9]\d?:[1-9]\d?$/.test(ratio)) throw badField(parameters.path('aspectRatio'), fieldRules.invalid);
  return ratio;
}

/** Some clients write the number as a string. */
function secondsIn(parameters: StrictFields): number | undefined {
  const value = parameters.raw('durationSeconds');
  if (typeof value === 'string' && /^\d{1,3}$/.test(value))
    return new StrictFields({ durationSeconds: Number(value) }, 'parameters').integer('durationSeconds', 1, mostSeconds);
  return parameters.integer('durationSeconds', 1, mostSeconds);
}

/** In the format of Vertex and Google's SDKs, or of prompt parts. */
function pictureIn(instance: StrictFields, name: string): string | undefined {
  const picture = instance.fields(name);
  if (picture === undefined) return undefined;
  refuseAccountObject(['gcsUri', 'fileData', 'uri'].map((one) => (picture.has(one) ? picture.path(one) : undefined)).find(Boolean));
  const inline = picture.fields('inlineData');
  const bytes = inline === undefined ? picture.requiredText('bytesBase64Encoded') : inline.requiredText('data');
  const type = (inline ?? picture).text('mimeType') ?? 'image/png';
  if (!/^image\/[\w.+-]{1,40}$/.test(type)) throw badField((inline ?? picture).path('mimeType'), fieldRules.invalid);
  return dataUrl(type, bytes);
}

/** Operation name of a video task. */
export function operationName(task: TaskRecord): string {
  return `models/${task.model}/operations/${callersName(task)}`;
}

/** gRPC code of failed operations. */
const internal = 13;
const made = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse';

/** @param uri URL of the video, read with the caller's key */
export function operationObject(task: TaskRecord, { uri, language }: { uri: string; language: Language }): object {
  const name = operationName(task);
  const state = stateOf(task);
  if (state === 'failed') return { name, done: true, error: { code: internal, message: failReasonIn(task, language) } };
  if (state !== 'completed') return { name };
  const generateVideoResponse = { generatedSamples: [{ video: { uri, encoding: 'video/mp4' } }] };
  return { name, done: true, response: { '@type': made, generateVideoResponse } };
}

/** Google's SDKs require lower-case letters and digits after `files/`. */
export function fileNameOf(task: TaskRecord): string {
  return Buffer.from(callersName(task)).toString('hex');
}

/**
 * Video id of such a file.
 * @throws {AppError} `video_not_found`
 */
export function videoNamed(file: string): string {
  if (!/^[\da-f]{2,200}$/.test(file)) throw new AppError('video_not_found', { id: file.slice(0, 200) });
  return Buffer.from(file, 'hex').toString();
}
