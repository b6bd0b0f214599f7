// Streams a video, or an image of it: from its provider with the channel's key, or from the provider's URL through the
// guarded egress.
import { AppError } from '#shared/errors.ts';
import { EgressRefusal } from '#server/egress/egress-refusal.ts';
import type { EgressStream } from '#server/egress/egress.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { bufferResponse, type DirectResponse, streamResponse } from '#server/http/lean-response.ts';
import { PassedBytes } from '#server/objects/passed-bytes.ts';
import { takeReaderSlot } from '#server/objects/reader-slot.ts';
import { createShares } from '#server/queues/shares.ts';
import type { RelayServices } from '#server/call/services.ts';
import { addressOfQuestion, anyBytes, requestUpstream, questionRequest } from '#server/tasks/request-upstream.ts';
import type { VideoFormat, VideoQuestion } from '#server/tasks/videos/video-format.ts';
import { exchange } from '#server/exchange/exchange.ts';
import { headersTo } from '#server/exchange/provider-headers.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { urlOf } from '#server/tasks/platforms/report-values.ts';
import { type ByteRange, isRequestedPart, type Part, partHeaders, partOf, readPart, readRange, sourceOfPart } from './byte-range.ts';
import { bytesInside } from './bytes-inside.ts';
import { PassedEgress } from './passed-egress.ts';
import { madeOf } from '#server/tasks/videos/video-facts.ts';
import { stateOf } from './present-video.ts';
import { formOf } from './video-submission.ts';
import { withKey } from '#server/exchange/keys/channel-keys.ts';

/** Timeout of a provider's response. */
const waitMs = 60_000;
/** Timeout between parts of a sender. */
const sendMs = 600_000;
/** Maximum time for a whole video, however slow the reader. */
const longestMs = 3600_000;
const mostBytes = 4 * 1024 ** 3;
const answerBytes = 1024 * 1024;
/** Maximum concurrent readings of videos and images; a page of a list shows many. */
const limits = { video: { all: 200, perOwner: 8 }, picture: { all: 200, perOwner: 24 } };
/** Types that browsers display without executing. */
const types = /^(?:video\/[\w.+-]{1,40}|image\/(?:png|jpeg|jpg|webp|gif|avif))$/;
const variants: ReadonlySet<string> = new Set(['video', 'thumbnail', 'spritesheet']);

const open = { video: createShares<number>(), picture: createShares<number>() };

interface ContentRequest {
  variant: string;
  signal: AbortSignal;
  /** Id of the reader. */
  userId: number;
  /** The caller's `Range` header; null for the whole. */
  range: string | null;
}

/** @throws {AppError} `video_not_ready`, `video_content_missing`, `rate_limited`, and of the provider's failures */
export async function serveContent(
  services: RelayServices,
  task: TaskRecord,
  { variant, signal, userId, range: header }: ContentRequest,
): Promise<DirectResponse> {
  const { context } = services;
  const id = task.public_id ?? '';
  const missing = () => new AppError('video_content_missing', { id });
  if (stateOf(task) !== 'completed') throw new AppError('video_not_ready', { id });
  const channel = withKey(context.channels.get(task.channel_id), task.channel_key_id);
  if (!variants.has(variant) || channel === undefined || channel.problem !== null) throw missing();
  const form = formOf(channel);
  const kind = variant === 'video' ? 'video' : 'picture';
  const done = takeReaderSlot(open[kind], userId, limits[kind]);
  const range = readRange(header);
  try {
    const question = form.content?.(task.upstream_id ?? '', variant, channel);
    if (question === null) throw missing();
    const response =
      question === undefined
        ? await fromAddress(services, { task, channel, form, variant, signal, range, done })
        : await fromProvider(services, channel, { question, member: form.contentMember, variant, range, done });
    if (response === null) throw missing();
    return response;
  } catch (failure) {
    done();
    throw failure;
  }
}

interface FromAddress {
  task: TaskRecord;
  channel: PreparedChannel;
  form: VideoFormat;
  variant: string;
  signal: AbortSignal;
  range: ByteRange | null;
  done: () => void;
}

/** Returns null if there is none, or it is gone. */
async function fromAddress({ context }: RelayServices, requested: FromAddress): Promise<DirectResponse | null> {
  const { task, channel, form, variant, signal, range, done } = requested;
  const url = variant === 'video' ? await addressOf(context, { task, channel, form }) : variant === 'thumbnail' ? task.image_url : '';
  if (url === '') return null;
  const isOwn = form.isBehindKey === true && URL.parse(url)?.origin === URL.parse(channel.base)?.origin;
  const stream = await openAddress(context, { url, own: isOwn ? channel : null, signal, range }).catch((failure: unknown) => {
    if (!(failure instanceof EgressRefusal)) throw failure;
    context.log.warn({ task: task.id, reason: failure.reason }, 'a video could not be fetched');
    throw new AppError('do_request_failed', {}, { cause: failure });
  });
  const type = typeOf(stream, variant, range);
  if (type === null) {
    stream.close();
    return null;
  }
  const { 'content-length': length, 'content-range': reported } = stream.headers;
  const known: Record<string, string> = length === undefined ? {} : { 'content-length': length };
  if (stream.status === 206)
    return streamResponse(206, { ...headersOf(type, variant), ...known, 'content-range': reported ?? '' }, new PassedEgress(stream, done));
  const part = cutPart(range, length);
  if (part === null) return streamResponse(200, { ...headersOf(type, variant), ...known }, new PassedEgress(stream, done));
  const cut = { read: readPart(() => stream.read(), part), close: () => stream.close() };
  return streamResponse(206, { ...headersOf(type, variant), ...partHeaders(part) }, new PassedEgress(cut, done));
}

/** Part of a sender's whole response; null if the whole is sent. */
function cutPart(range: ByteRange | null, length: string | string[] | undefined): Part | null {
  if (range === null || typeof length !== 'string' || !/^\d{1,15}$/.test(length)) return null;
  return partOf(range, Number(length));
}

/** The channel's own host gets its key; redirects are treated like any other URL. */
async function openAddress(
  { egress }: RelayServices['context'],
  { url, own, signal, range }: Pick<FromAddress, 'signal' | 'range'> & { url: string; own: PreparedChannel | null },
): Promise<EgressStream> {
  const part: Record<string, string> = range === null ? {} : { range: `bytes=${range.first}-${range.last ?? ''}` };
  const accept = { accept: 'video/*, image/*', 'accept-encoding': 'identity', ...part };
  const whole = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
  const requested = { method: 'GET', milliseconds: sendMs, maxBytes: mostBytes, signal: whole } as const;
  if (own === null) return egress.open({ ...requested, url, headers: accept, redirects: 3 });
  const { 'content-type': _none, ...ofChannel } = own.headers;
  const first = await egress.open({ ...requested, url, headers: headersTo(own, ofChannel, accept), redirects: 0, isTrusted: true });
  const { location } = first.headers;
  if (first.status < 300 || first.status > 399 || location === undefined) return first;
  first.close();
  const next = URL.parse(location, url);
  if (next === null) throw new EgressRefusal('broken_answer');
  return egress.open({ ...requested, url: next.href, headers: accept, redirects: 2 });
}

async function addressOf(
  context: RelayServices['context'],
  { task, channel, form }: Pick<FromAddress, 'task' | 'channel' | 'form'>,
): Promise<string> {
  const { url = '', file = '' } = madeOf(task);
  if (url !== '' || file === '' || form.locate === undefined) return url;
  const answer = await requestUpstream(context, channel, { ...form.locate.question(file), milliseconds: waitMs });
  if (answer.kind === 'failed') throw new AppError('do_request_failed');
  return urlOf(form.locate.read(answer.value));
}

type FromProvider = Pick<FromAddress, 'variant' | 'range' | 'done'> & {
  question: VideoQuestion;
  /** JSON member that contains the video. */
  member: string | undefined;
};

/** Returns null if it is deleted there. */
async function fromProvider(
  { context }: RelayServices,
  channel: PreparedChannel,
  { question, member, variant, range, done }: FromProvider,
): Promise<DirectResponse | null> {
  const address = addressOfQuestion(channel, question);
  if (address === null) return null;
  const plain = questionRequest(channel, question, address);
  const request = { ...plain, headers: headersTo(channel, plain.headers, { accept: '*/*' }), isStream: true, framing: anyBytes };
  const signed = await channel.authorize(request, { now: context.now(), sender: context.sender });
  const received = await exchange(context, channel, signed, { responseMs: waitMs, maxBytes: answerBytes }).received;
  if (received.kind === 'failed') {
    if (received.failure.upstreamStatus === 404) return null;
    throw new AppError('do_request_failed');
  }
  const reported = String(received.headers?.['content-type'] ?? '');
  const isInside = member !== undefined && /^application\/json\b/i.test(reported);
  const type = typeNamed(isInside ? '' : reported, variant);
  if (received.kind === 'whole') {
    done();
    return type === null ? null : bufferResponse(200, headersOf(type, variant), received.body);
  }
  if (type === null) {
    received.stream.abort();
    return null;
  }
  // Ranges are cut here: responses of provider calls do not support `content-range`.
  const { 'content-length': length, 'content-encoding': encoding } = received.headers ?? {};
  const part = encoding === undefined && !isInside ? cutPart(range, length) : null;
  const source = part !== null ? sourceOfPart(received.stream, part) : isInside ? bytesInside(received.stream, member) : received.stream;
  const body = new PassedBytes(source, context.env.STREAMING_TIMEOUT * 1000, done);
  return part === null
    ? streamResponse(200, headersOf(type, variant), body)
    : streamResponse(206, { ...headersOf(type, variant), ...partHeaders(part) }, body);
}

function headersOf(type: string, variant: string): Record<string, string> {
  return {
    'content-type': type,
    // Lists show their images repeatedly; the cache must not outlive a sign-out.
    ...(variant === 'video'
      ? { 'cache-control': 'no-store' }
      : { 'cache-control': 'private, max-age=3600', vary: 'authorization, cookie' }),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
}

/** Returns null if it is neither a video nor an image. */
function typeOf({ status, headers }: EgressStream, variant: string, range: ByteRange | null): string | null {
  const isPart = status === 206 && range !== null && isRequestedPart(headers['content-range'], range);
  if ((status !== 200 && !isPart) || headers['content-encoding'] !== undefined || Number(headers['content-length']) > mostBytes)
    return null;
  return typeNamed(headers['content-type'] ?? '', variant);
}

function typeNamed(reported: string, variant: string): string | null {
  const type = reported.split(';')[0]?.trim().toLowerCase() ?? '';
  if (types.test(type)) return type;
  // Storage often reports only a generic type.
  const isPlain = type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream' || type === 'application/binary';
  if (!isPlain) return null;
  return variant === 'video' ? 'video/mp4' : 'image/webp';
}
