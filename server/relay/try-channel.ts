// One try of a call on one channel.
import { AppError } from '#shared/errors.ts';
import type { Attempt } from '#shared/logs.ts';
import { countPromptOf } from '#server/relay/accounting/charge-left-call.ts';
import type { LeftTry } from '#server/relay/accounting/charge-left-call.ts';
import type { ClientStream } from '#server/relay/stream/client-stream.ts';
import type { KeptCall } from '#server/relay/accounting/left-calls.ts';
import { completedUsage, countedUsage } from '#server/relay/accounting/metered-usage.ts';
import type { MeteredUsage } from '#server/relay/accounting/metered-usage.ts';
import { failureOfOurs } from '#server/relay/relay-failure.ts';
import { elapsed } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import { StreamRelay, writerOptions } from '#server/relay/stream/stream-relay.ts';
import { wholeAsStream } from '#server/relay/stream/whole-as-stream.ts';
import type { DecodedWhole } from '#server/dialects/decoded-whole.ts';
import { buildRequest } from '#server/upstream/build-request.ts';
import type { UpstreamRequest } from '#server/upstream/build-request.ts';
import { readWhole as readResponse } from '#server/upstream/read-response.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { SendFailure } from '#server/upstream/send.ts';
import type { Sending, StreamAnswer, WholeAnswer } from '#server/upstream/send.ts';
import { countText } from '#server/upstream/token-estimate.ts';
import { invalidAnswer, networkFailure, parseUpstreamError, timeoutFailure } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';

/** A request without its body, which nobody needs once it is sent. */
type SentFacts = Omit<UpstreamRequest, 'body'>;

/** A whole answer that may go to the client once it is settled. */
export interface WholeResult {
  kind: 'whole';
  channel: PreparedChannel;
  request: SentFacts;
  body: Buffer;
  contentType: string;
  usage: MeteredUsage;
  firstByteMs: number;
}

export type TryResult =
  | WholeResult
  | { kind: 'stream'; relay: StreamRelay }
  | { kind: 'failed'; failure: UpstreamFailure }
  /** `sent`: an upstream may have been working on it. */
  | { kind: 'left'; sent: LeftTry | null };

/** Bytes of an answer that is not a stream. */
const mostResponseBytes = 128 * 1024 * 1024;

export async function tryChannel(
  call: RunningCall,
  channel: PreparedChannel,
  { client, attempt }: { client: ClientStream | null; attempt: Attempt },
): Promise<TryResult> {
  let sent: SentRequest | null;
  try {
    // Of an earlier try only the bytes were kept.
    if (call.content.isLarge) await call.content.prepare();
    const sendingIt = call.content.use(() => sendRequest(call, channel));
    sent = sendingIt instanceof Promise ? await sendingIt : sendingIt;
  } catch (failure) {
    // The channel's provider has no such call, or no place for what it asks; another one may.
    if (failure instanceof AppError) return { kind: 'failed', failure: failureOfOurs(failure) };
    throw failure;
  }
  if (sent === null) return { kind: 'left', sent: null };
  const { sending, request } = sent;
  const leaving = watchLeaving(call, channel, sending);
  try {
    return await readAnswer(call, channel, { client, attempt, request, sending });
  } finally {
    // What has come of an answer that nobody waits for is still held while it is read and counted.
    leaving.ended();
  }
}

async function readAnswer(
  call: RunningCall,
  channel: PreparedChannel,
  { client, attempt, request, sending }: { client: ClientStream | null; attempt: Attempt; request: SentFacts; sending: Sending },
): Promise<TryResult> {
  const left = leftTry(channel, request, attempt);
  let answer: WholeAnswer | StreamAnswer;
  try {
    answer = await sending.answer;
  } catch (failure) {
    // One that fails by itself costs nothing, whoever has left.
    const isEnded = failure instanceof SendFailure && (failure.reason === 'aborted' || failure.reason === 'too_large');
    if (call.hasLeft) return { kind: 'left', sent: isEnded && sending.isSent ? left : null };
    return { kind: 'failed', failure: failureOf(failure) };
  }
  attempt.status = answer.status;
  if (answer.kind === 'stream') return followStream(call, channel, { client, attempt, request, answer });
  attempt.first_byte_ms = elapsed(call);
  if (call.hasLeft && client !== null) return { kind: 'left', sent: answer.status === 200 ? left : null };
  if (answer.status !== 200) {
    const { headers, status } = answer;
    const text = answer.body.toString('utf8', 0, 64 * 1024);
    return { kind: 'failed', failure: parseUpstreamError({ status, text, headers, channel, now: call.services.context.now() }) };
  }
  return readWhole(call, channel, { request, body: answer.body, client, attempt });
}

/** From now on a client that goes ends the call; of a whole answer only its end tells what it costs, so that may be read on. */
function watchLeaving(call: RunningCall, channel: PreparedChannel, sending: Sending): { ended(): void } {
  const { services } = call;
  let kept: KeptCall | null = null;
  const leave = () => {
    const isKept = !call.isStream && !channel.setting.abortsLeft && !services.isEnding();
    const place = isKept ? services.left.keep(call.admission.user.id, () => sending.abort()) : null;
    kept = place;
    if (place === null) sending.abort();
    else sending.limitBy((bytes) => place.hold(bytes));
  };
  call.onLeave = leave;
  return {
    ended() {
      if (call.onLeave === leave) call.onLeave = undefined;
      kept?.ended();
    },
  };
}

function leftTry(channel: PreparedChannel, request: SentFacts, attempt: Attempt): LeftTry {
  const { isMapped, upstreamModel, reasoningEffort } = request;
  return { channel, attempt, upstreamModel: isMapped ? upstreamModel : undefined, reasoningEffort };
}

interface SentRequest {
  sending: Sending;
  request: SentFacts;
}

/** Null: the client has left meanwhile. @throws {AppError} `format_unsupported` */
function sendRequest(call: RunningCall, channel: PreparedChannel): SentRequest | null {
  if (call.hasLeft) return null;
  const { services, content } = call;
  const { env, now, settings } = services.context;
  const { body, ...request } = buildRequest({
    client: call.endpoint.dialect,
    clientHeaders: call.clientHeaders,
    settings,
    capability: call.endpoint.capability,
    channel,
    body: content.body,
    rawText: content.text,
    originModel: call.model,
    isStream: call.isStream,
    forceUsage: env.FORCE_STREAM_OPTION,
    now: now(),
    isPassThrough: settings.get('global.pass_through_request_enabled'),
    ...(call.version === undefined ? {} : { version: call.version }),
    ...(call.outputBound === undefined ? {} : { outputBound: call.outputBound }),
    ...(call.choiceLimit === undefined ? {} : { choiceLimit: call.choiceLimit }),
  });
  const sending = services.sender.send({ ...request, body }, { answerMs: env.RELAY_TIMEOUT * 1000, maxBytes: mostResponseBytes });
  call.dropped = request.dropped;
  call.sentLimit = request.sentLimit;
  content.sent(call.endpoint, call.model);
  return { sending, request };
}

async function followStream(
  call: RunningCall,
  channel: PreparedChannel,
  { client, attempt, request, answer }: { client: ClientStream | null; attempt: Attempt; request: SentFacts; answer: StreamAnswer },
): Promise<TryResult> {
  if (client === null) {
    // Nobody asked for a stream.
    answer.stream.abort();
    return { kind: 'failed', failure: invalidAnswer() };
  }
  const relay = new StreamRelay({ call, client, channel, request, attempt, stream: answer.stream });
  call.onLeave = () => relay.clientLeft();
  return startStream(call, relay);
}

/** Waits for the first event, or for the failure that comes instead. */
async function startStream(call: RunningCall, relay: StreamRelay): Promise<TryResult> {
  relay.start();
  const opened = relay.opened();
  const failure = opened instanceof Promise ? await opened : opened;
  if (failure === null) call.content.answered();
  return failure === null ? { kind: 'stream', relay } : { kind: 'failed', failure };
}

async function readWhole(
  call: RunningCall,
  channel: PreparedChannel,
  { request, body, client, attempt }: { request: SentFacts; body: Buffer; client: ClientStream | null; attempt: Attempt },
): Promise<TryResult> {
  const { capability, dialect } = call.endpoint;
  const decoded = readResponse({
    client: dialect,
    capability,
    channel,
    upstreamModel: request.upstreamModel,
    body,
    responseFields: call.responseFields,
    writer: writerOptions(call),
  });
  if (decoded.kind === 'failed') return decoded;
  if (client !== null) {
    // A stream was asked for and a whole answer came: it is told as a stream.
    const relay = new StreamRelay({ call, client, channel, request, attempt, stream: wholeAsStream(decoded.events()) });
    call.onLeave = () => relay.clientLeft();
    return startStream(call, relay);
  }
  const usage = await usageOf(call, decoded);
  return {
    kind: 'whole',
    channel,
    request,
    body: decoded.body(usage),
    contentType: 'application/json; charset=utf-8',
    usage,
    firstByteMs: attempt.first_byte_ms ?? elapsed(call),
  };
}

async function usageOf(call: RunningCall, { usage, written }: DecodedWhole): Promise<MeteredUsage> {
  const { endpoint, model } = call;
  const estimate = call.prompt.tokens;
  const counting = { owner: call.admission.user.id, isEstimated: false };
  if (usage !== null) {
    const completion = () => (endpoint.capability === 'chat' ? countText(written(), model, counting) : Promise.resolve(0));
    return completedUsage(usage, false, { prompt: () => countPromptOf(call), completion });
  }
  const [promptTokens, completionTokens] = await Promise.all([
    call.content.countPrompt({ endpoint, model, estimate }, counting),
    countText(written(), model, counting),
  ]);
  return countedUsage(promptTokens, completionTokens, counting.isEstimated);
}

function failureOf(failure: unknown): UpstreamFailure {
  if (!(failure instanceof SendFailure)) throw failure;
  if (failure.reason === 'timeout') return timeoutFailure('first_byte');
  return failure.reason === 'too_large' || failure.reason === 'unreadable' ? invalidAnswer() : networkFailure();
}
