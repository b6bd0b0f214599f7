// Sends one request to one channel and receives its response. Failures have the same shape at every step. Used by
// calls, channel tests and model lists.
import type { CallPieces } from '#server/kinds/call-kind.ts';
import type { AppContext } from '#server/context.ts';
import { PiecedBody } from '#server/framing/byte-source.ts';
import { stepByStep } from '#server/queues/step-by-step.ts';
import type { LeftFile } from '#server/formats/left-files.ts';
import { prepareTexts } from '#server/formats/tool-arguments.ts';
import { headerTier } from '#server/formats/service-tier.ts';
import { authorizeRequest, buildRequest, type UpstreamCall, type UpstreamRequest } from './build-request.ts';
import { SigningFailure } from './auth/signing-failure.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import { upstreamIdOf } from './upstream-id.ts';
import { withAwaiting } from './awaited-exchange.ts';
import { withContents } from './fetched-contents.ts';
import { leaveFiles } from './leave-files.ts';
import { withRenewal } from './renewed-exchange.ts';
import { withoutRefused } from './without-refused.ts';
import { SendFailure } from './send-failure.ts';
import type { ResponseHeaders, Sending, SendLimits, SendRequest, StreamResponse, WholeResponse } from './send.ts';
import { followUps } from './follow-ups.ts';
import { sendOverSocket } from './socket-sending.ts';
import { sendSplit } from './send-split.ts';
import type { EventSource } from './upstream-stream.ts';
import { failureOfSend, parseUpstreamError, type UpstreamFailure } from './upstream-error.ts';

export type Received =
  | { kind: 'stream'; status: number; stream: EventSource; headers?: ResponseHeaders }
  /** Response with status 200. */
  | { kind: 'whole'; status: number; body: Buffer; headers?: ResponseHeaders }
  /**
   * Another status; or no response (status 0) with its `cause`. `answered`: joined response of the pieces that
   * succeeded.
   */
  | { kind: 'failed'; status: number; failure: UpstreamFailure; cause: SendFailure | null; answered?: Buffer };

export interface Exchange {
  readonly sending: Pick<Sending, 'isSent' | 'limitBy' | 'abort'>;
  readonly received: Promise<Received>;
}

/** Parts of a request retained after sending; the body is not. */
export type SentRequest = Pick<
  UpstreamRequest,
  | 'route'
  | 'upstreamModel'
  | 'reasoningEffort'
  | 'sentLimit'
  | 'hostedLeast'
  | 'hostedVariants'
  | 'hostedIfCut'
  | 'requestedTier'
  | 'writesLong'
  | 'dropped'
  | 'streamType'
> & {
  /** Service tier reported in the response headers. */
  reportedTier?: string;
  /** The provider's id of the request, by which its bill and its support know it. */
  upstreamId?: string;
  /** Number of pieces sent and in total, if the call is split. */
  pieces?: { sent: number; all: number };
};

export type CallExchange = Exchange & { request: SentRequest };

/** Description of a call that stages may still change before it is sent. */
export type CallToSend = Mutable<UpstreamCall>;

type Mutable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] };

export type ExchangeContext = Pick<AppContext, 'sender' | 'settings' | 'now' | 'egress'>;

export interface SendOptions {
  limits: SendLimits;
  /** Checked after authorization, which may take a while; if false, the request is not sent, as if aborted. */
  isWanted?: () => boolean;
}

/** A call on its way to its provider. */
interface CallSending {
  readonly context: ExchangeContext;
  readonly call: UpstreamCall;
  readonly options: SendOptions;
}

/**
 * Sends a call in the provider's format, in pieces, or translated. Returns a promise only if tokens must be decoded, the body is long, files
 * are uploaded first, or the channel's key must be fetched.
 * @throws {AppError} as `buildRequest`, before anything is sent
 */
export function sendCall(context: ExchangeContext, call: UpstreamCall, options: SendOptions): CallExchange | Promise<CallExchange> {
  const over = piecesOf(call);
  if (over !== null) return sendSplit({ context, call, over }, options, sendCall);
  const sending = { context, call, options };
  const preparing = call.longTexts === undefined ? null : preparationOf(call);
  return preparing === null ? translate(sending) : stepByStep(preparing).then(() => translate(sending));
}

function translate(sending: CallSending): CallExchange | Promise<CallExchange> {
  const built = buildRequest(sending.call);
  return built instanceof Promise ? built.then((request) => follow(request, sending)) : follow(built, sending);
}

/** Sends a built request: at once, unless its body is in pieces or needs files that the provider has not got. */
function follow(request: UpstreamRequest, sending: CallSending): CallExchange | Promise<CallExchange> {
  const isReady = request.files === undefined && !(request.body instanceof PiecedBody);
  return isReady ? authorize(request, sending) : prepare(request, sending);
}

/** Measures a body of pieces, and uploads files that the request references. */
async function prepare(request: UpstreamRequest, sending: CallSending): Promise<CallExchange> {
  const measuring = request.body instanceof PiecedBody ? request.body.measure() : null;
  if (measuring !== null) await stepByStep(measuring);
  const uploaded = request.files === undefined ? request : await upload(request, request.files, sending);
  return 'received' in uploaded ? uploaded : authorize(uploaded, sending);
}

async function upload(
  request: UpstreamRequest,
  files: readonly LeftFile[],
  { context, call: { channel }, options: { limits, isWanted = () => true } }: CallSending,
): Promise<UpstreamRequest | CallExchange> {
  const { now, sender } = context;
  const sendFile = (further: OpenRequest, responseMs: number) =>
    exchange(context, channel, further, { responseMs, maxBytes: longestRefusal });
  try {
    const left = await leaveFiles(request, files, { now, sender, isWanted, responseMs: limits.responseMs, send: sendFile });
    if (left.kind === 'left') return left.request;
    return { sending: unsent, received: Promise.resolve(left.received), request: storedOf(request) };
  } catch (cause) {
    return { ...unsigned(cause, channel, now()), request: storedOf(request) };
  }
}

/** Adds the channel's key, and sends the request. */
function authorize(request: UpstreamRequest, sending: CallSending): CallExchange | Promise<CallExchange> {
  const { now, sender } = sending.context;
  const authorized = authorizeRequest(request, { now: now(), sender });
  if (!(authorized instanceof Promise)) return send(authorized, sending);
  return authorized.then(
    (signed) => send(signed, sending),
    (cause: unknown) => ({ ...unsigned(cause, sending.call.channel, now()), request: storedOf(request) }),
  );
}

/** Sends the request, and once more without an optional field that the provider rejects. */
function send(request: UpstreamRequest, { context, call, options }: CallSending): CallExchange {
  const { channel } = call;
  const { sending, received } = options.isWanted?.() === false ? unwanted() : receive(context, channel, request, options.limits);
  const stored = storedOf(request);
  const first = { sending, received: received.then((reported) => withReported(reported, stored)), request: stored };
  const { doubtful } = request;
  if (doubtful === undefined) return first;
  const resend = (withoutFields: ReadonlySet<string>) => sendCall(context, { ...call, withoutFields }, options);
  return withoutRefused(first, { channel, doubtful, resend });
}

/**
 * Serializes in advance, in steps, long objects that the other format has as texts; returns null if there are none or
 * nothing is translated.
 */
function preparationOf({ client, body, route }: UpstreamCall): Generator<void, void> | null {
  const objects = client.jsonTexts?.objectsIn?.(body);
  return objects === undefined || route?.identity !== null ? null : prepareTexts(objects);
}

/** Returns null if the call is not split. */
function piecesOf(call: UpstreamCall): CallPieces | null {
  const { kind, route } = call;
  if (route === null || (kind.over === null && kind.inPieces === undefined)) return null;
  return route.isInPieces ? kind.over : (kind.inPieces?.(route, call.body, call.client) ?? null);
}

/** Records the service tier and the request id reported in the response headers. */
function withReported(received: Received, request: SentRequest): Received {
  if (received.kind === 'failed' || received.headers === undefined) return received;
  const tier = headerTier(received.headers);
  if (tier !== undefined) request.reportedTier = tier;
  const id = upstreamIdOf(received.headers);
  if (id !== undefined) request.upstreamId = id;
  return received;
}

function storedOf(request: UpstreamRequest): SentRequest {
  const { route, upstreamModel, reasoningEffort, sentLimit, hostedLeast, hostedVariants, hostedIfCut, requestedTier } = request;
  const { writesLong, dropped, streamType } = request;
  return {
    route,
    upstreamModel,
    reasoningEffort,
    sentLimit,
    hostedLeast,
    hostedVariants,
    hostedIfCut,
    requestedTier,
    writesLong,
    dropped,
    streamType,
  };
}

/** Sends the request, polls a provider that responds later, and adds the contents of URLs that the caller wants as data. */
function receive(context: ExchangeContext, channel: PreparedChannel, request: UpstreamRequest, most: SendLimits): Exchange {
  const { awaiting, contents: named, createSieve } = request;
  const limits = createSieve === undefined ? most : gatheringLimits(most);
  let received = exchange(context, channel, request, limits);
  if (awaiting !== undefined) {
    const further = (open: OpenRequest, responseMs: number) => exchange(context, channel, open, { ...limits, responseMs });
    const { followUp, openStream } = followUps(request, { now: context.now, sender: context.sender }, further);
    received = withAwaiting(received, { awaiting, followUp, openStream, responseMs: limits.responseMs });
  }
  return named === undefined ? received : withContents(received, { named, egress: context.egress, limits });
}

/** Maximum bytes stored of a stream that is collected into a whole response. */
const mostGathered = 16 * 1024 * 1024;

function gatheringLimits(limits: SendLimits): SendLimits {
  return { ...limits, maxBytes: Math.min(limits.maxBytes, mostGathered) };
}

const unsent: Exchange['sending'] = { isSent: false, limitBy() {}, abort() {} };

/** Handles a failed token fetch: the model was not called. */
function unsigned(cause: unknown, channel: PreparedChannel, now: number): Exchange {
  if (!(cause instanceof SigningFailure)) throw cause;
  const { reason } = cause;
  if (reason instanceof SendFailure) return { sending: unsent, received: Promise.resolve(failedSend(reason)) };
  const failure = parseUpstreamError({ ...reason, channel, now });
  return { sending: unsent, received: Promise.resolve({ kind: 'failed', status: failure.upstreamStatus, failure, cause: null }) };
}

function unwanted(): Exchange {
  const cause = new SendFailure('aborted', 'the call was ended before it was sent');
  return { sending: unsent, received: Promise.resolve(failedSend(cause)) };
}

/**
 * @property route if undefined, a refusal is recognized by its status alone
 * @property takesCreated accepts status 201 as a response
 */
export type OpenRequest = SendRequest & Partial<Pick<UpstreamRequest, 'route' | 'awaiting'>> & { takesCreated?: true };

/** Sends a prepared request; resends it once with a new token if the cached one is rejected. */
export function exchange(
  context: Omit<ExchangeContext, 'egress'>,
  channel: PreparedChannel,
  request: OpenRequest,
  limits: SendLimits,
): Exchange {
  const sendOnce = (open: SendRequest): Exchange => {
    const { socket } = open;
    const sending = socket === undefined ? context.sender.send(open, limits) : sendOverSocket(context.sender, open, socket, limits);
    const isLater = request.awaiting !== undefined || request.takesCreated === true;
    const received = sending.response.then((response) => {
      const answer = read(response, { channel, now: context.now, isLater });
      return request.createSieve === undefined ? answer : gathered(answer, request);
    }, failedSend);
    return { sending, received };
  };
  const { renew } = request;
  if (renew === undefined) return sendOnce(request);
  const resend = () => renew().then(sendOnce, (cause: unknown) => unsigned(cause, channel, context.now()));
  return withRenewal(sendOnce(request), { resend, isRefusal: (response) => isRefusal(response, request.route) });
}

/** Some formats report refusals with status 200. */
function isRefusal(response: Received, route: OpenRequest['route']): boolean {
  if (response.kind === 'failed') return response.status === 401;
  if (response.kind === 'stream' || route === undefined || response.body.length > longestRefusal) return false;
  return route.dialect.readError(response.body.toString('utf8'), route.provider)?.status === 401;
}

/** Maximum bytes of a body parsed as a refusal. */
const longestRefusal = 64 * 1024;

interface Reading {
  channel: PreparedChannel;
  now: () => number;
  /** Whether statuses 201 and 202 are responses, because the provider responds later. */
  isLater: boolean;
}

function read(response: StreamResponse | WholeResponse, { channel, now, isLater }: Reading): Received {
  const { status } = response;
  if (response.kind === 'stream') return { kind: 'stream', status, stream: response.stream, headers: response.headers };
  if (status === 200 || (isLater && (status === 201 || status === 202))) {
    return { kind: 'whole', status: 200, body: response.body, headers: response.headers };
  }
  const text = response.body.toString('utf8', 0, longestRefusal);
  const failure = parseUpstreamError({ status, text, headers: response.headers, channel, now: now() });
  return { kind: 'failed', status, failure, cause: null };
}

/** Joins the stored events of a stream into a whole response. */
function gathered(received: Received, { createSieve, route, framing }: OpenRequest): Received {
  if (createSieve === undefined || route === undefined || received.kind !== 'whole') return received;
  if (framing.begins(received.body) !== true) return received;
  const body = route.dialect.gathering?.whole(framing.events(received.body)) ?? null;
  if (body === null) return failedSend(new SendFailure('network', 'the stream ended before the response did'));
  return { ...received, body: Buffer.from(JSON.stringify(body)) };
}

function failedSend(cause: unknown): Received {
  if (!(cause instanceof SendFailure)) throw cause;
  return { kind: 'failed', status: 0, failure: failureOfSend(cause, 'first_byte'), cause };
}
