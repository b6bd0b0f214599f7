// One try of a call on one channel.
import { AppError } from '#shared/errors.ts';
import { usageOfResponse } from '#server/relay/accounting/call-usage.ts';
import type { ClientStream } from '#server/relay/stream/client-stream.ts';
import type { KeptCall } from '#server/relay/accounting/left-calls.ts';
import type { MeteredUsage } from '#server/relay/accounting/metered-usage.ts';
import type { CallTry, SentTry } from '#server/relay/call-try.ts';
import { decodeResponse, holdsBlockedWords, inTurnIfLong } from '#server/relay/decode-response.ts';
import { failureOfOurs } from '#server/relay/relay-failure.ts';
import { elapsed } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import { StreamRelay } from '#server/relay/stream/stream-relay.ts';
import { wholeAsStream } from '#server/relay/stream/whole-as-stream.ts';
import { sendCall } from '#server/upstream/exchange.ts';
import type { Exchange, SentCall } from '#server/upstream/exchange.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import type { UpstreamStream } from '#server/upstream/upstream-stream.ts';
import { countText } from '#server/upstream/token-estimate.ts';
import { invalidResponse } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';

/** A whole response that may go to the client once it is settled. */
export interface WholeResult {
  kind: 'whole';
  sent: SentTry;
  body: Buffer;
  contentType: string;
  usage: MeteredUsage;
  firstByteMs: number;
  /** The model wrote what the site blocks: it is charged, and not told. */
  isBlocked: boolean;
}

export type TryResult =
  | WholeResult
  | { kind: 'stream'; relay: StreamRelay }
  | { kind: 'failed'; failure: UpstreamFailure }
  /** `sent`: an upstream may have been working on it. */
  | { kind: 'stopped'; sent: SentTry | null };

export async function tryChannel(call: RunningCall, { channel, attempt }: CallTry, client: ClientStream | null): Promise<TryResult> {
  let sent: SentCall | null;
  try {
    // Of an earlier try only the bytes were kept.
    if (call.content.isLarge) await call.content.prepare();
    const sendingIt = call.content.use(() => sendTo(call, channel));
    sent = sendingIt instanceof Promise ? await sendingIt : sendingIt;
  } catch (failure) {
    // The channel's provider has no such call, or no place for what it asks; another one may.
    if (failure instanceof AppError) return { kind: 'failed', failure: failureOfOurs(failure) };
    throw failure;
  }
  if (sent === null) return { kind: 'stopped', sent: null };
  const { request } = sent;
  call.dropped = request.dropped;
  call.sentLimit = request.sentLimit;
  call.content.sent(call.endpoint, call.model);
  const stopping = watchStop(call, channel, sent.sending);
  let isForClient = false;
  try {
    const result = await readResponse(call, { channel, attempt, request }, { client, exchange: sent });
    isForClient = (result.kind === 'whole' || result.kind === 'stream') && call.stopped === undefined;
    return result;
  } finally {
    // What has come of a response that nobody waits for is still held while it is read and counted.
    stopping.ended();
    if (!isForClient) call.held?.ended();
  }
}

async function readResponse(
  call: RunningCall,
  sent: SentTry,
  { client, exchange }: { client: ClientStream | null; exchange: Exchange },
): Promise<TryResult> {
  const { attempt } = sent;
  const response = await exchange.received;
  if (response.kind === 'failed' && response.cause !== null) {
    // One that fails by itself costs nothing, whoever has left.
    const isEnded = response.cause.reason === 'aborted' || response.cause.reason === 'too_large';
    if (call.stopped !== undefined) return { kind: 'stopped', sent: isEnded && exchange.sending.isSent ? sent : null };
    return response;
  }
  attempt.status = response.status;
  if (response.kind === 'stream') return followStream(call, sent, { client, stream: response.stream });
  attempt.first_byte_ms = elapsed(call);
  if (call.stopped !== undefined && client !== null) return { kind: 'stopped', sent: response.kind === 'whole' ? sent : null };
  if (response.kind === 'failed') return response;
  call.held?.arrived(response.body.length);
  return readWhole(call, sent, { body: response.body, client });
}

/** From now on a client that goes ends the call; of a whole response only its end tells what it costs, so that may be read on. */
function watchStop(call: RunningCall, channel: PreparedChannel, sending: Exchange['sending']): { ended(): void } {
  const { services } = call;
  let kept: KeptCall | null = null;
  const leave = () => {
    const isKept = !call.isStream && !channel.setting.abortsLeft && !services.isEnding();
    const place = isKept ? services.left.keep(call.admission.user.id, () => sending.abort()) : null;
    kept = place;
    if (place === null) sending.abort();
    else sending.limitBy((bytes) => place.hold(bytes));
  };
  call.onStop = leave;
  return {
    ended() {
      if (call.onStop === leave) call.onStop = undefined;
      kept?.ended();
    },
  };
}

/** Null: the client has left meanwhile. @throws {AppError} as `sendCall` */
function sendTo(call: RunningCall, channel: PreparedChannel): SentCall | null | Promise<SentCall> {
  if (call.stopped !== undefined) return null;
  const { endpoint, content, services } = call;
  const { env, settings } = services.context;
  const sending = {
    client: endpoint.dialect,
    clientHeaders: call.clientHeaders,
    capability: endpoint.capability,
    channel,
    body: content.body,
    rawText: content.text,
    originModel: call.model,
    isStream: call.isStream,
    forceUsage: env.FORCE_STREAM_OPTION,
    isPassThrough: settings.get('global.pass_through_request_enabled'),
    ...(call.version === undefined ? {} : { version: call.version }),
    ...(call.outputBound === undefined ? {} : { outputBound: call.outputBound }),
    ...(call.choiceLimit === undefined ? {} : { choiceLimit: call.choiceLimit }),
  };
  const bounds = { responseMs: env.RELAY_TIMEOUT * 1000, maxBytes: endpoint.mostResponseBytes };
  const limits = call.held === undefined ? bounds : { ...bounds, room: call.held };
  return sendCall(services.context, sending, { limits, isWanted: () => call.stopped === undefined });
}

async function followStream(
  call: RunningCall,
  sent: SentTry,
  { client, stream }: { client: ClientStream | null; stream: UpstreamStream },
): Promise<TryResult> {
  if (client === null) {
    // Nobody asked for a stream.
    stream.abort();
    return { kind: 'failed', failure: invalidResponse() };
  }
  return startStream(call, new StreamRelay({ call, client, sent, stream }));
}

/** Waits for the first event, or for the failure that comes instead. */
async function startStream(call: RunningCall, relay: StreamRelay): Promise<TryResult> {
  call.onStop = () => relay.stop();
  relay.start();
  const opened = relay.opened();
  const failure = opened instanceof Promise ? await opened : opened;
  if (failure === null) call.content.answered();
  return failure === null ? { kind: 'stream', relay } : { kind: 'failed', failure };
}

async function readWhole(
  call: RunningCall,
  sent: SentTry,
  { body, client }: { body: Buffer; client: ClientStream | null },
): Promise<TryResult> {
  const reading = decodeResponse(call, sent, body);
  const decoded = reading instanceof Promise ? await reading : reading;
  if (decoded.kind === 'failed') return decoded;
  // A stream was asked for and a whole response came: it is told as a stream.
  if (client !== null) {
    const stream = wholeAsStream(await inTurnIfLong(call, body, () => decoded.events()));
    return startStream(call, new StreamRelay({ call, client, sent, stream }));
  }
  const counting = { owner: call.admission.user.id, isEstimated: false };
  const countWritten = () => countText(decoded.written(), call.model, counting);
  const metering = usageOfResponse(call, { told: decoded.usage, hasTextAfter: false, countWritten, counting });
  const usage = metering instanceof Promise ? await metering : metering;
  const writing = inTurnIfLong(call, body, () => decoded.body(usage));
  const written = writing instanceof Promise ? await writing : writing;
  call.held?.arrived(written.length);
  const searching = holdsBlockedWords(call, written);
  return {
    kind: 'whole',
    isBlocked: searching instanceof Promise ? await searching : searching,
    sent,
    body: written,
    contentType: 'application/json; charset=utf-8',
    usage,
    firstByteMs: sent.attempt.first_byte_ms ?? elapsed(call),
  };
}
