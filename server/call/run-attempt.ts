// Runs one attempt of a call: sends it to a channel and reads the response.
import { AppError } from '#shared/errors.ts';
import { mayBeTooLong, usageOfResponse, usageOfTooLong } from '#server/call/settlement/call-usage.ts';
import type { ClientStream } from '#server/call/stream/client-stream.ts';
import type { AbandonedCall } from '#server/call/settlement/abandoned-calls.ts';
import { sumOfUsages } from '#shared/token-usage.ts';
import type { MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import type { CallAttempt, SentAttempt } from '#server/call/call-attempt.ts';
import type { DecodedWhole, DeepWhole } from '#server/formats/decoded-whole.ts';
import { decodeResponse, inTurnIfLong, writeDecoded } from '#server/call/decode-response.ts';
import { failureOfOurs, tooDeep } from '#server/call/relay-failure.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';
import { StreamRelay, type StreamRelayOptions } from '#server/call/stream/stream-relay.ts';
import { wholeAsStream } from '#server/call/stream/whole-as-stream.ts';
import { type CallExchange, type CallToSend, type Exchange, type Received, sendCall } from '#server/exchange/exchange.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { ReadResponse } from '#server/exchange/read-response.ts';
import type { ResponseHeaders } from '#server/exchange/send.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { countText } from '#server/exchange/token-estimate.ts';
import { invalidResponse, type UpstreamFailure } from '#server/exchange/upstream-error.ts';

/** Complete response, which is sent to the client after the settlement. */
export interface WholeResult {
  kind: 'whole';
  attempt: SentAttempt;
  body: Buffer;
  contentType: string;
  usage: MeteredUsage;
  firstByteMs: number;
  /** Whether the response has blocked words: it is charged and not sent. */
  isBlocked: boolean;
}

/** Response that cannot be sent to the client for reasons of the request. It is charged. */
export interface UnpassedResponse {
  attempt: SentAttempt;
  usage(): MeteredUsage | Promise<MeteredUsage>;
  /** Whether its end was not read. */
  isCut?: true;
}

type FailedResponse = Extract<Received, { kind: 'failed' }>;

export type AttemptResult =
  | WholeResult
  | { kind: 'stream'; relay: StreamRelay }
  | { kind: 'failed'; failure: UpstreamFailure; unpassed?: UnpassedResponse }
  /** The call was stopped. `attempt`: attempt that an upstream may have been processing. */
  | { kind: 'stopped'; attempt: SentAttempt | null };

export async function runAttempt(call: RunningCall, attempt: CallAttempt, client: ClientStream | null): Promise<AttemptResult> {
  const { channel } = attempt;
  let exchange: CallExchange | null;
  try {
    const sendingIt = call.content.isLarge ? sendLarge(call, attempt) : sendTo(call, attempt);
    exchange = sendingIt instanceof Promise ? await sendingIt : sendingIt;
  } catch (failure) {
    // The provider's format cannot express the request; another provider's may.
    if (failure instanceof AppError) return { kind: 'failed', failure: failureOfOurs(failure) };
    throw failure;
  }
  if (exchange === null) return { kind: 'stopped', attempt: null };
  const { request } = exchange;
  call.sent = request;
  call.content.sent(call.endpoint, call.model);
  const stopping = watchStop(call, channel, exchange.sending);
  let isForClient = false;
  try {
    const response = await exchange.received;
    const reading = readResponse(call, { ...attempt, request }, { client, exchange, response });
    const result = reading instanceof Promise ? await reading : reading;
    isForClient = (result.kind === 'whole' || result.kind === 'stream') && call.stop.reason === undefined;
    return result;
  } finally {
    // A response that was read after a disconnect remains in memory until its tokens are counted.
    stopping.ended();
    if (!isForClient) call.buffer?.ended();
  }
}

function readResponse(
  call: RunningCall,
  attempt: SentAttempt,
  { client, exchange, response }: { client: ClientStream | null; exchange: Exchange; response: Received },
): AttemptResult | Promise<AttemptResult> {
  const { record } = attempt;
  if (response.kind === 'failed') return readFailure(call, attempt, { client, exchange, response });
  record.status = response.status;
  for (const stage of call.stages) stage.responded?.(attempt, response.headers);
  attempt.keyUse?.responded(response.headers);
  if (response.kind === 'stream') {
    noteAudioType(call, attempt.request.streamType ?? response.headers?.['content-type']);
    return followStream(call, attempt, { client, stream: response.stream });
  }
  record.first_byte_ms = elapsed(call);
  if (call.stop.reason !== undefined && client !== null) return { kind: 'stopped', attempt };
  call.buffer?.arrived(response.body.length);
  const { body } = response;
  const decoded = decodeResponse(call, attempt, body);
  if (decoded instanceof Promise) return decoded.then((read) => readWhole(call, attempt, { body, client, decoded: read }));
  return readWhole(call, attempt, { body, client, decoded });
}

function readFailure(
  call: RunningCall,
  attempt: SentAttempt,
  { client, exchange, response }: { client: ClientStream | null; exchange: Exchange; response: FailedResponse },
): AttemptResult | Promise<AttemptResult> {
  const { record } = attempt;
  if (response.cause !== null) {
    // A failure of the upstream is free, also after a disconnect.
    const isEnded = response.cause.reason === 'aborted' || response.cause.reason === 'too_large';
    if (call.stop.reason !== undefined && (isEnded || response.answered === undefined)) {
      return { kind: 'stopped', attempt: isEnded && exchange.sending.isSent ? attempt : null };
    }
    if (response.answered !== undefined) return partlyAnswered(call, attempt, response);
    if (response.cause.reason !== 'too_large' || !mayBeTooLong(call)) return failedWith(call, attempt, response.failure);
    // Not retried: another channel's response would be as long.
    return {
      kind: 'failed',
      failure: failureOfOurs(new AppError('upstream_too_large')),
      unpassed: { attempt, usage: () => usageOfTooLong(call, attempt), isCut: true },
    };
  }
  if (response.answered !== undefined) return partlyAnswered(call, attempt, response);
  record.status = response.status;
  record.first_byte_ms = elapsed(call);
  if (call.stop.reason !== undefined && client !== null) return { kind: 'stopped', attempt: null };
  return failedWith(call, attempt, response.failure);
}

/** Notes the content type of speech, which may differ from the requested format. */
function noteAudioType(call: RunningCall, type: ResponseHeaders[string] | undefined): void {
  const { stream, endpoint } = call;
  if (endpoint.kind.framing === undefined || stream?.contentType === undefined || typeof type !== 'string') return;
  if (/^audio\/[\w.+-]{1,60}(?:; ?[\w=. -]{1,60})?$/i.test(type)) stream.contentType = type;
}

/** Ends a split call of which some requests succeeded. They are charged, so the call is not retried. */
async function partlyAnswered(
  call: RunningCall,
  attempt: SentAttempt,
  { failure, answered = Buffer.alloc(0) }: { failure: UpstreamFailure; answered?: Buffer },
): Promise<AttemptResult> {
  const decoded = await decodeResponse(call, attempt, answered);
  if (decoded.kind === 'failed') return failedWith(call, attempt, failure);
  const { usage: own } = failure;
  const usage = async () => {
    const metered = await usageOfWhole(call, decoded);
    if (own === undefined) return metered;
    // A counted prompt includes those of all pieces.
    if (decoded.usage === null) return { ...metered, output: metered.output + own.output };
    return { ...metered, ...sumOfUsages(metered, own) };
  };
  return { kind: 'failed', failure, unpassed: { attempt, usage } };
}

/** Makes a disconnect end the attempt. A complete response may still be read to its end, which reports its cost. */
function watchStop(call: RunningCall, channel: PreparedChannel, sending: Exchange['sending']): { ended(): void } {
  const { services } = call;
  let abandoned: AbandonedCall | null = null;
  const disconnect = () => {
    const isReadOn = call.stream === null && !channel.setting.abortsAbandoned && !services.isEnding();
    const place = isReadOn ? services.settlement.abandoned.admit(call.admission.user.id, () => sending.abort()) : null;
    abandoned = place;
    if (place === null) sending.abort();
    else sending.limitBy((bytes) => place.grow(bytes));
  };
  call.stop.end = disconnect;
  return {
    ended() {
      if (call.stop.end === disconnect) call.stop.end = undefined;
      abandoned?.ended();
    },
  };
}

/** Same as `sendTo` for a large body, in turn with other long work of the user. */
async function sendLarge(call: RunningCall, attempt: CallAttempt): Promise<CallExchange | null> {
  // An earlier attempt has released the parsed body.
  await call.content.prepare();
  return call.content.use(() => sendTo(call, attempt));
}

/**
 * Sends the request; null if the call was stopped meanwhile.
 * @throws {AppError} as `sendCall`
 */
function sendTo(call: RunningCall, { channel, route }: CallAttempt): CallExchange | null | Promise<CallExchange> {
  if (call.stop.reason !== undefined) return null;
  const { endpoint, content, reserved, services } = call;
  const { env, settings } = services.context;
  const { body } = content;
  const sending: CallToSend = {
    client: endpoint.dialect,
    clientHeaders: call.clientHeaders,
    kind: endpoint.kind,
    channel,
    route,
    body,
    rawText: content.text,
    seen: content.seen,
    longTexts: content.longTexts(),
    budget: () => content.budget(),
    originModel: call.model,
    requestId: call.requestId,
    isStream: call.stream !== null,
    forceUsage: env.FORCE_STREAM_OPTION,
    isPassThrough: settings.get('global.pass_through_request_enabled') || route?.setting.passesBodies === true,
    settings,
    outputBound: reserved.outputBound,
    hosted: reserved.prompt.hosted,
    choiceLimit: reserved.choiceLimit,
  };
  for (const stage of call.stages) stage.request?.(sending, channel);
  if (sending.body !== body) sending.seen = undefined;
  const limits = { responseMs: env.RELAY_TIMEOUT * 1000, maxBytes: endpoint.kind.mostResponseBytes, room: call.buffer };
  return sendCall(services.context, sending, { limits, isWanted: () => call.stop.reason === undefined });
}

async function followStream(
  call: RunningCall,
  attempt: SentAttempt,
  { client, stream }: { client: ClientStream | null; stream: EventSource },
): Promise<AttemptResult> {
  if (client === null) {
    // The provider streams although no stream was requested.
    stream.abort();
    return { kind: 'failed', failure: invalidResponse() };
  }
  return startStream(call, attempt, new StreamRelay({ call, client, attempt, stream }));
}

/** Waits for the first event of a stream, or for its failure. */
async function startStream(call: RunningCall, attempt: SentAttempt, relay: StreamRelay): Promise<AttemptResult> {
  call.stop.end = relay.stop;
  relay.start();
  const opened = relay.opened();
  const failure = opened instanceof Promise ? await opened : opened;
  if (failure !== null) return relay.unpassed === null ? failedWith(call, attempt, failure) : notPassed(call, attempt, relay.unpassed);
  call.content.answered();
  return { kind: 'stream', relay };
}

/** Returns a failure. One with billed usage is charged, and the call is not retried. */
function failedWith(call: RunningCall, attempt: SentAttempt, reported: UpstreamFailure): AttemptResult {
  let failure = reported;
  for (const stage of call.stages) if (stage.failure !== undefined) failure = stage.failure(failure);
  const { usage } = failure;
  if (usage === undefined) return { kind: 'failed', failure };
  return { kind: 'failed', failure, unpassed: { attempt, usage: () => usageOfWhole(call, { usage, written: () => '' }) } };
}

/** Returns the failure for a response that is nested too deep. It is not retried: another response would be as deep. */
function notPassed(call: RunningCall, attempt: SentAttempt, deep: DeepWhole): AttemptResult {
  return { kind: 'failed', failure: tooDeep(), unpassed: { attempt, usage: () => usageOfWhole(call, deep) } };
}

function usageOfWhole(
  call: RunningCall,
  {
    usage,
    hosted,
    summaries,
    advice,
    units,
    cost,
    outputTokens,
    written,
  }: Pick<DeepWhole, 'usage' | 'hosted' | 'summaries' | 'advice' | 'written'> & Pick<DecodedWhole, 'units' | 'cost' | 'outputTokens'>,
): MeteredUsage | Promise<MeteredUsage> {
  const counting = { owner: call.admission.user.id, isEstimated: false };
  const countWritten = () => (outputTokens === undefined ? countText(written(), call.model, counting) : Promise.resolve(outputTokens));
  return usageOfResponse(call, { reported: usage, hosted, summaries, advice, units, cost, hasTextAfter: false, countWritten, counting });
}

/** Returns a promise only if the tokens are counted, writing is long, a stage checks the response, or the client streams. */
function readWhole(
  call: RunningCall,
  attempt: SentAttempt,
  { body, client, decoded }: { body: Buffer; client: ClientStream | null; decoded: ReadResponse },
): AttemptResult | Promise<AttemptResult> {
  if (decoded.kind === 'failed') return failedWith(call, attempt, decoded.failure);
  if (decoded.kind === 'too_deep') return notPassed(call, attempt, decoded);
  if (decoded.unknownEnding !== undefined) call.services.settlement.unknownEndings.note(attempt, decoded.unknownEnding);
  // The client requested a stream.
  if (client !== null) {
    noteAudioType(call, decoded.contentType);
    return streamWhole(call, attempt, { body, client, decoded });
  }
  const usage = usageOfWhole(call, decoded);
  if (usage instanceof Promise) return usage.then((counted) => writeWhole(call, attempt, { body, decoded, usage: counted }));
  return writeWhole(call, attempt, { body, decoded, usage });
}

async function streamWhole(
  call: RunningCall,
  attempt: SentAttempt,
  { body, client, decoded }: { body: Buffer; client: ClientStream; decoded: DecodedWhole },
): Promise<AttemptResult> {
  return startStream(call, attempt, new StreamRelay({ call, client, attempt, ...(await streamOfWhole(call, body, decoded)) }));
}

function writeWhole(
  call: RunningCall,
  attempt: SentAttempt,
  { body, decoded, usage }: { body: Buffer; decoded: DecodedWhole; usage: MeteredUsage },
): WholeResult | Promise<WholeResult> {
  const written = writeDecoded(call, body, decoded, usage);
  const result: WholeResult = {
    kind: 'whole',
    isBlocked: false,
    attempt,
    body: written instanceof Promise ? body : written,
    contentType: decoded.contentType ?? call.endpoint.kind.contentType,
    usage,
    firstByteMs: attempt.record.first_byte_ms ?? elapsed(call),
  };
  if (written instanceof Promise) return written.then((whole) => checkWhole(call, { ...result, body: whole }, decoded));
  return checkWhole(call, result, decoded);
}

/** Reports the size of the written response to the call's buffer, and lets the stages search for blocked words. */
function checkWhole(call: RunningCall, result: WholeResult, { written }: DecodedWhole): WholeResult | Promise<WholeResult> {
  call.buffer?.arrived(result.body.length);
  let isChecked = false;
  for (const stage of call.stages) if (stage.blocks !== undefined) isChecked = true;
  return isChecked ? blockWhole(call, result, written) : result;
}

async function blockWhole(call: RunningCall, result: WholeResult, written: DecodedWhole['written']): Promise<WholeResult> {
  const { body } = result;
  for (const stage of call.stages) {
    if (stage.blocks !== undefined && (await stage.blocks(call, { body, written }))) return { ...result, isBlocked: true };
  }
  return result;
}

/** Sends a complete response as a stream: a translated one as its parts, others as events of their format. */
async function streamOfWhole(
  call: RunningCall,
  body: Buffer,
  decoded: DecodedWhole,
): Promise<Pick<StreamRelayOptions, 'stream' | 'whole'>> {
  const { parts } = decoded;
  if (parts !== undefined) return { stream: wholeAsStream(Buffer.alloc(0)), whole: { parts, bytes: body.length } };
  return { stream: wholeAsStream(await inTurnIfLong(call, body, () => decoded.events())) };
}
