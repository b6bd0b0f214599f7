// One try of a call on one channel.
import { AppError } from '#shared/errors.ts';
import type { Attempt } from '#shared/logs.ts';
import type { ClientStream } from '#server/relay/client-stream.ts';
import { completionEvents } from '#server/relay/completion-events.ts';
import { countedUsage, toldUsage } from '#server/relay/metered-usage.ts';
import type { MeteredUsage } from '#server/relay/metered-usage.ts';
import { elapsed } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import { StreamRelay } from '#server/relay/stream-relay.ts';
import { buildUpstreamRequest } from '#server/upstream/dialects/openai/request.ts';
import type { UpstreamRequest } from '#server/upstream/dialects/openai/request.ts';
import { errorInAnswer, fixAnswer } from '#server/upstream/dialects/openai/response.ts';
import { isAbsurdUsage, readUsage } from '#server/upstream/dialects/openai/usage.ts';
import { parseObject } from '#server/upstream/loose-json.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { SendFailure } from '#server/upstream/send.ts';
import type { StreamAnswer, WholeAnswer } from '#server/upstream/send.ts';
import { countPromptTokens, countText } from '#server/upstream/token-estimate.ts';
import { invalidAnswer, networkFailure, parseUpstreamError, timeoutFailure } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';
import { textOf } from '#server/upstream/usage-meter.ts';

/** A whole answer that may go to the client once it is settled. */
export interface WholeResult {
  kind: 'whole';
  channel: PreparedChannel;
  request: UpstreamRequest;
  text: string;
  contentType: string;
  usage: MeteredUsage;
  firstByteMs: number;
}

export type TryResult =
  | WholeResult
  | { kind: 'stream'; relay: StreamRelay }
  | { kind: 'failed'; failure: UpstreamFailure }
  | { kind: 'left' };

/** Bytes of an answer that is not a stream. */
const largestAnswer = 128 * 1024 * 1024;

export async function tryChannel(
  call: RunningCall,
  channel: PreparedChannel,
  { client, attempt }: { client: ClientStream | null; attempt: Attempt },
): Promise<TryResult> {
  const { services } = call;
  const { env, now } = services.context;
  let request: UpstreamRequest;
  try {
    request = buildUpstreamRequest({
      capability: call.endpoint.capability,
      channel,
      body: call.body,
      rawText: call.rawText,
      originModel: call.model,
      isStream: call.isStream,
      forceUsage: env.FORCE_STREAM_OPTION,
      now: now(),
      isPassThrough: services.context.settings.get('global.pass_through_request_enabled'),
      ...(call.version === undefined ? {} : { version: call.version }),
    });
  } catch (failure) {
    if (failure instanceof AppError) return { kind: 'failed', failure: cannotDo(failure) };
    throw failure;
  }
  const sending = services.sender.send(request, { answerMs: env.RELAY_TIMEOUT * 1000, maxBytes: largestAnswer });
  call.onLeave = () => sending.abort();
  let answer: WholeAnswer | StreamAnswer;
  try {
    answer = await sending.answer;
  } catch (failure) {
    if (call.hasLeft) return { kind: 'left' };
    return { kind: 'failed', failure: failureOf(failure) };
  }
  attempt.status = answer.status;
  if (answer.kind === 'stream') return followStream(call, channel, { client, attempt, request, answer });
  attempt.first_byte_ms = elapsed(call);
  if (call.hasLeft) return { kind: 'left' };
  const text = answer.body.toString('utf8');
  if (answer.status !== 200) {
    return {
      kind: 'failed',
      failure: parseUpstreamError({ status: answer.status, text: text.slice(0, 64 * 1024), headers: answer.headers, channel, now: now() }),
    };
  }
  const failure = errorInAnswer(text, channel);
  if (failure !== null) return { kind: 'failed', failure };
  return readWhole(call, channel, { request, text, client, attempt });
}

async function followStream(
  call: RunningCall,
  channel: PreparedChannel,
  { client, attempt, request, answer }: { client: ClientStream | null; attempt: Attempt; request: UpstreamRequest; answer: StreamAnswer },
): Promise<TryResult> {
  if (client === null) {
    // Nobody asked for a stream.
    answer.stream.abort();
    return { kind: 'failed', failure: invalidAnswer() };
  }
  const relay = new StreamRelay({ call, client, channel, request, attempt, stream: answer.stream });
  call.onLeave = () => relay.clientLeft();
  return startStream(relay);
}

/** Waits for the first event, or for the failure that comes instead. */
async function startStream(relay: StreamRelay): Promise<TryResult> {
  relay.start();
  const opened = relay.opened();
  const failure = opened instanceof Promise ? await opened : opened;
  return failure === null ? { kind: 'stream', relay } : { kind: 'failed', failure };
}

async function readWhole(
  call: RunningCall,
  channel: PreparedChannel,
  { request, text, client, attempt }: { request: UpstreamRequest; text: string; client: ClientStream | null; attempt: Attempt },
): Promise<TryResult> {
  const { capability } = call.endpoint;
  const fixed = fixAnswer({ capability, channel, requestBody: call.body, upstreamModel: request.upstreamModel, text });
  const body = parseObject(fixed);
  if (body === null || !isAnswer(body, capability)) return { kind: 'failed', failure: invalidAnswer() };
  if (isAbsurdUsage(body['usage'])) return { kind: 'failed', failure: invalidAnswer() };
  if (client !== null) {
    // A stream was asked for and a whole answer came: it is told as a stream.
    const relay = new StreamRelay({ call, client, channel, request, attempt, stream: completionEvents(body) });
    call.onLeave = () => relay.clientLeft();
    return startStream(relay);
  }
  const usage = await usageOf(call, channel, { body, text: fixed });
  return {
    kind: 'whole',
    channel,
    request,
    text: fixed,
    contentType: 'application/json; charset=utf-8',
    usage,
    firstByteMs: attempt.first_byte_ms ?? elapsed(call),
  };
}

async function usageOf(
  call: RunningCall,
  channel: PreparedChannel,
  { body, text }: { body: Record<string, unknown>; text: string },
): Promise<MeteredUsage> {
  const usage = readUsage(body['usage'], channel.provider);
  if (usage !== null) return toldUsage(usage);
  const { capability } = call.endpoint;
  const [promptTokens, completionTokens] = await Promise.all([
    countPromptTokens(call.body, capability, call.model),
    capability === 'chat' ? countText(textOf(text), call.model) : Promise.resolve(0),
  ]);
  return countedUsage(promptTokens, completionTokens);
}

function isAnswer(body: Record<string, unknown>, capability: 'chat' | 'embeddings'): boolean {
  return Array.isArray(capability === 'chat' ? body['choices'] : body['data']);
}

function failureOf(failure: unknown): UpstreamFailure {
  if (!(failure instanceof SendFailure)) throw failure;
  if (failure.reason === 'timeout') return timeoutFailure('first_byte');
  return failure.reason === 'too_large' ? invalidAnswer() : networkFailure();
}

/** The channel's provider has no such call; another one may. */
function cannotDo(error: AppError): UpstreamFailure {
  return { ...invalidAnswer(), status: error.status, errorCode: error.code, code: error.code, message: error.message };
}
