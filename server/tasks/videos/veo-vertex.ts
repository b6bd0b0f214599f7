// Google's Veo at Vertex AI, in the model's region. Without a bucket, videos are returned inline as Base64.
// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { vertex, vertexHost } from '#server/providers/vertex.ts';
import { jsonQuestion } from './question.ts';
import { veoBody } from './veo.ts';
import type { VideoChannel, VideoFormat, VideoQuestion } from './video-format.ts';

/** Operation name: a path that contains the region. */
const operation =
  /^(projects\/[\w.:-]{1,80}\/locations\/([a-z][a-z\d-]{1,40})\/publishers\/google\/models\/[\w.-]{1,80})\/operations\/[\w-]{1,80}$/;
const inside = 'bytesBase64Encoded';
const older = /^veo-2/;

export const veoVertex: VideoFormat = {
  usualSeconds: 8,
  heights: [720, 1080, 2160],
  fetchesNoPictures: true,
  /** @throws {AppError} `format_unsupported` for a channel with unreadable regions */
  async order(order, channel) {
    const { model, requestedModel: clientModel, seed, hasSound, width, height } = order;
    const isOlder = older.test(model);
    // Older models ignore the size and always use this one.
    if (isOlder && Math.min(width, height) !== 720) throw badField('size', onlySide);
    const location = vertex.locate?.({ key: channel.key, other: channel.record.other, clientModel, model });
    if (location === undefined || location === null) throw new AppError('format_unsupported');
    const { instances, parameters } = await veoBody(order);
    const { resolution, ...others } = parameters;
    const own = isOlder ? {} : { resolution, generateAudio: hasSound ?? true };
    const body = { instances, parameters: { ...others, ...own, ...(seed === undefined ? {} : { seed }) } };
    const path = `/v1/${location.values['parent'] ?? ''}publishers/google/models/${encodeURIComponent(model)}:predictLongRunning`;
    return at(channel, location.base, jsonQuestion(path, body));
  },
  readOrder(answer) {
    const id = isObject(answer) ? idOf(answer['name']) : '';
    return operation.test(id) ? { id } : null;
  },
  question: ({ upstreamId }, channel) => ({ ...fetchOf(upstreamId, channel), until: inside }),
  content: (upstreamId, variant, channel) => (variant === 'video' ? fetchOf(upstreamId, channel) : null),
  contentMember: inside,
  readAnswer(answer) {
    if (!isObject(answer)) return null;
    if (inside in answer) return { state: 'succeeded' };
    if (typeof answer['name'] !== 'string') return null;
    if (answer['done'] !== true) return { state: 'running' };
    const { error, response } = answer;
    if (isObject(error)) return { state: 'failed', reason: textOf(error['message']) };
    const reasons = isObject(response) ? response['raiMediaFilteredReasons'] : undefined;
    const [reason] = Array.isArray(reasons) ? (reasons as unknown[]) : [];
    return typeof reason === 'string' ? { state: 'failed', reason: textOf(reason) } : { state: 'failed', isEmpty: true };
  },
};

const onlySide = { zh: '的短边只能是 720', en: 'must have a shorter side of 720' };

function fetchOf(name: string, channel: VideoChannel): VideoQuestion {
  const [, resource = '', region = ''] = operation.exec(name) ?? [];
  return at(channel, vertexHost(region), jsonQuestion(`/v1/${resource}:fetchPredictOperation`, { operationName: name }));
}

/** A channel's own base URL takes precedence. */
function at({ record }: VideoChannel, base: string, question: VideoQuestion): VideoQuestion {
  return record.base_url.trim() === '' ? { base, ...question } : question;
}
