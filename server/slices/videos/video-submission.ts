// Prepares a video request for the task engine, with everything that affects its price.
import { inServingGroup } from '#server/call/admission/auto-group.ts';
import { AppError, errors } from '#shared/errors.ts';
import { heightOf } from '#shared/video-prices.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { servesTasks } from '#server/work/tasks/run-attempts.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Submission, Verdict } from '#server/work/tasks/submission.ts';
import { video } from '#server/tasks/platforms/video.ts';
import { videoFormatOf } from '#server/tasks/videos/registry.ts';
import type { OrderVerdict, VideoFormat, VideoOrder, VideoPicture } from '#server/tasks/videos/video-format.ts';
import { maskSecrets } from '#server/exchange/mask-secrets.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { VideoRequest } from './read-video-request.ts';
import type { VideoFacts } from '#server/tasks/videos/video-facts.ts';
import { sentPictures } from './sent-pictures.ts';
import { orderOf, stateOf } from './present-video.ts';

interface Ordering {
  services: RelayServices;
  admission: Admission;
  answer(task: TaskRecord): object;
}

const idLength = 32;
/** Default if no provider of the model has one. */
const usualSeconds = 5;

export function orderSubmission({ services, admission, answer }: Ordering, requested: VideoRequest): Submission {
  const { context } = services;
  const { model, prompt, width, height, pictures } = requested;
  const likely = likelyFormat(services, inServingGroup(services, admission, { model }), model);
  if (likely !== undefined) checkFits(likely, requested);
  const seconds = requested.seconds ?? likely?.usualSeconds ?? usualSeconds;
  const facts = { seconds, size: `${width}x${height}` };
  let hold: BodyHold | undefined;
  return {
    ...submissionOf(services, { model, prompt, facts }),
    texts: requested.negativePrompt === undefined ? [] : [requested.negativePrompt],
    action: pictures.length === 0 ? 'TEXT_TO_VIDEO' : 'IMAGE_TO_VIDEO',
    origin: null,
    isFor: ({ provider }) => {
      const form = videoFormatOf(provider);
      return form !== undefined && misfitOf(form, requested) === undefined;
    },
    async request(channel) {
      // Images in JSON are in memory as Base64 and as text.
      hold ??= context.bodies.open(`user:${admission.user.id}`);
      hold.shrinkTo(0);
      hold.grow(bytesInMemory(pictures));
      const form = formOf(channel);
      const order: VideoOrder = { ...requested, seconds, requestedModel: model, model: channel.modelMapping.get(model) ?? model };
      if (form.fetchesNoPictures !== true) return { question: await form.order(order, channel) };
      const sent = await sentPictures(context, pictures, { owner: `user:${admission.user.id}`, hold });
      return { question: await form.order({ ...order, pictures: sent }, channel) };
    },
    answer,
    release: () => hold?.shrinkTo(0),
  };
}

/** @throws {AppError} `video_not_ready`, `verb_unknown`, `no_channel` */
export function remixSubmission(
  { services, admission, answer }: Ordering,
  { origin, prompt, path }: { origin: TaskRecord; prompt: string; path: string },
): Submission {
  const { model, upstream_id: upstreamId = '' } = origin;
  const channel = services.channels.get(origin.channel_id);
  if (channel === undefined || channel.status !== ChannelStatus.enabled || channel.problem !== null)
    throw new AppError('no_channel', { group: admission.group, model });
  const { remix } = formOf(channel);
  if (remix === undefined) throw new AppError('verb_unknown', { path });
  const id = origin.public_id ?? '';
  if (stateOf(origin) !== 'completed') throw new AppError('video_not_ready', { id });
  const { seconds, size } = orderOf(origin);
  return {
    ...submissionOf(services, { model, prompt, facts: { seconds, size, remixed_from: id } }),
    action: 'REMIX',
    origin,
    request: () => ({ question: remix(upstreamId, prompt) }),
    answer,
  };
}

interface Ordered {
  model: string;
  prompt: string;
  facts: VideoFacts;
}

function submissionOf({ context }: RelayServices, { model, prompt, facts }: Ordered) {
  return {
    platform: video,
    model,
    isFree: false,
    prompt,
    state: '',
    units: { kind: 'second', count: facts.seconds, size: facts.size },
    record: { public_id: `video_${context.randomText(idLength)}`, properties: JSON.stringify(facts) },
    read: (answer, channel) => verdictOf(formOf(channel).readOrder(answer), channel),
  } satisfies Partial<Submission>;
}

/** @throws {AppError} `invalid_request` */
function checkFits(form: VideoFormat, requested: VideoRequest): void {
  const misfit = misfitOf(form, requested);
  if (misfit !== undefined) throw misfit;
}

/** Reason why the provider cannot make it; undefined if it can. */
function misfitOf({ heights }: VideoFormat, { width, height }: VideoRequest): AppError | undefined {
  const side = heightOf({ width, height });
  return heights !== undefined && !heights.includes(side) ? badField('size', sidesRule(heights)) : undefined;
}

const sidesRule = (heights: readonly number[]) => ({
  zh: `的短边只能是 ${heights.join('、')}`,
  en: `must have a shorter side of ${heights.join(', ')}`,
});

/** Format of the channel that is tried first. */
function likelyFormat({ channels }: RelayServices, { group, pinnedChannel }: Admission, model: string): VideoFormat | undefined {
  const serves = servesTasks(video);
  if (pinnedChannel !== undefined) return videoFormatOf(channels.get(pinnedChannel)?.provider ?? null);
  for (const tier of channels.tiers(group, model)) {
    const found = tier.channels.find(serves);
    if (found !== undefined) return videoFormatOf(found.provider);
  }
  return undefined;
}

export function formOf(channel: PreparedChannel): VideoFormat {
  const form = videoFormatOf(channel.provider);
  if (form === undefined) throw new Error('A channel without videos was asked for one');
  return form;
}

function verdictOf(said: OrderVerdict | null, { key, base }: PreparedChannel): Verdict | null {
  if (said === null) return null;
  if ('id' in said) return { kind: 'accepted', code: 1, upstreamId: said.id, body: {} };
  const { status, code } = said.refusal;
  const reason = maskSecrets(said.refusal.message, { key, host: URL.parse(base)?.host ?? '' });
  // Account and capacity errors may not occur on another channel, and do not concern the caller.
  if (status === 401 || status === 402 || status === 403) return refusal('channel_refused', { reason, isElsewhere: true });
  if (status === 429) return refusal('upstream_saturated', { reason, isElsewhere: true });
  const error = { message: reason, type: 'upstream_error', param: '', code };
  return { kind: 'refused', code: 0, reason, isElsewhere: status >= 500, status, body: { error } };
}

function refusal(
  code: 'channel_refused' | 'upstream_saturated',
  { reason, isElsewhere }: { reason: string; isElsewhere: boolean },
): Verdict {
  const { status, zh } = errors[code];
  return {
    kind: 'refused',
    code: 0,
    reason,
    isElsewhere,
    status,
    body: { error: { message: zh, type: 'upstream_error', param: '', code } },
  };
}

/** Approximate bytes of file images; the rest of the body is held by its reader. */
function bytesInMemory(pictures: readonly VideoPicture[]): number {
  return pictures.reduce((sum, picture) => sum + ('file' in picture ? picture.file.content.size * 3 : picture.url.length), 0);
}
