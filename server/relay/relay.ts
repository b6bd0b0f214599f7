// The life of a relayed call, top to bottom.
import { AppError } from '#shared/errors.ts';
import type { Attempt, CallEnding } from '#shared/logs.ts';
import type { Connection } from '#server/http/connection.ts';
import { bufferAnswer, eventStreamHeaders, streamAnswer } from '#server/relay/client-answer.ts';
import { ClientStream } from '#server/relay/stream/client-stream.ts';
import { disableChannel, reasonToDisable } from '#server/relay/routing/auto-disable.ts';
import { chargeLeftCall } from '#server/relay/accounting/charge-left-call.ts';
import type { LeftTry } from '#server/relay/accounting/charge-left-call.ts';
import { learnFromCall } from '#server/relay/accounting/learn-from-call.ts';
import { chargeRow } from '#server/relay/accounting/log-row.ts';
import { openCall } from '#server/relay/admission/open-call.ts';
import type { RelayEndpoint } from '#server/relay/endpoints.ts';
import { errorAnswer, ownError, requestIdHeaders, tellFailure } from '#server/relay/relay-failure.ts';
import type { ErrorObject } from '#server/dialects/client-dialect.ts';
import { elapsed, markLeft } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { StreamRelay } from '#server/relay/stream/stream-relay.ts';
import { tryChannel } from '#server/relay/try-channel.ts';
import type { WholeResult } from '#server/relay/try-channel.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { isRetryable, nameOf } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';

/** How the tries of a call ended. */
type Outcome = { kind: 'whole'; result: WholeResult } | { kind: 'stream'; relay: StreamRelay } | NoAnswer;
type NoAnswer =
  | { kind: 'failed'; failure: UpstreamFailure; channel: PreparedChannel }
  | { kind: 'no_channel' }
  /** `sent`: what was under way then, and is charged. */
  | { kind: 'left'; sent: LeftTry | null }
  /** Our own fault. */
  | { kind: 'fault' };

/** Answers one call. Never rejects: every failure leaves in the endpoint's own format. */
export async function relay(
  services: RelayServices,
  endpoint: RelayEndpoint,
  request: Request,
  connection: Connection | null,
): Promise<Response> {
  const opened = await openCall(services, endpoint, request, connection);
  if (!('call' in opened)) return opened;
  const { call } = opened;
  try {
    return call.isStream ? await answerStream(call) : await answerWhole(call);
  } catch (failure) {
    services.context.log.error({ requestId: call.requestId, err: failure }, 'a relayed call failed unexpectedly');
    services.context.ledger.release(call.reservation);
    return failureAnswer(call, new AppError('internal_error', {}, { cause: failure }));
  }
}

async function answerWhole(call: RunningCall): Promise<Response> {
  const outcome = await tryChannels(call, null);
  if (outcome.kind === 'whole') {
    const { result } = outcome;
    const row = chargeRow(call, {
      usage: result.usage,
      channelId: result.channel.id,
      upstreamModel: result.request.isMapped ? result.request.upstreamModel : undefined,
      reasoningEffort: result.request.reasoningEffort,
      firstByteMs: result.firstByteMs,
      ending: call.hasLeft ? 'client_closed' : undefined,
      ...(call.hasLeft ? { afterLeaving: 'read' } : {}),
    });
    learnFromCall(call, result.usage, result.firstByteMs);
    call.services.use.add(result.channel.id, row.quota);
    // The answer leaves when its charge is durable: what was not settled was not answered.
    await call.services.context.ledger.settle(call.reservation, row);
    if (call.pass !== null) await call.pass.succeeded();
    return bufferAnswer(200, { 'content-type': result.contentType, ...headersOf(call) }, result.body);
  }
  if (outcome.kind === 'stream') throw new Error('A call that does not stream got a stream');
  const { error, retryAfter } = endWithoutAnswer(call, outcome);
  return errorAnswer(call.endpoint.dialect, error, call.requestId, retryAfter);
}

/** Waits for the first event, so that a failure before it is an answer with its own status; but not for ever. */
async function answerStream(call: RunningCall): Promise<Response> {
  const { clock, context } = call.services;
  const keepAliveMs = context.env.STREAM_KEEPALIVE * 1000;
  const { dialect } = call.endpoint;
  const client = new ClientStream(clock, { keepAliveMs, dialect, requestId: call.requestId, onLeft: () => leave(call) });
  // The tries may outlive this function, so their faults must end the client's stream too.
  const tries = tryChannels(call, client).catch((failure: unknown): Outcome => {
    context.log.error({ requestId: call.requestId, err: failure }, 'a relayed call failed unexpectedly');
    return { kind: 'fault' };
  });
  const outcome = await within(keepAliveMs, tries);
  if (outcome !== 'waiting' && outcome.kind !== 'stream') {
    if (outcome.kind === 'whole') throw new Error('A call that streams got a whole answer');
    const { error, retryAfter } = endWithoutAnswer(call, outcome);
    return errorAnswer(call.endpoint.dialect, error, call.requestId, retryAfter);
  }
  client.begin();
  if (outcome === 'waiting') {
    const ending = tries.then((late) => {
      if (late.kind !== 'stream' && late.kind !== 'whole') client.fail(endWithoutAnswer(call, late).error);
    });
    context.waitUntil(
      ending.catch((failure: unknown) => {
        client.cut();
        throw failure;
      }),
    );
  }
  return streamAnswer(200, { ...eventStreamHeaders, ...headersOf(call) }, client.body);
}

function headersOf({ requestId, dropped, endpoint }: RunningCall): Record<string, string> {
  const headers = requestIdHeaders(endpoint.dialect, requestId);
  if (dropped.length > 0) headers['x-tidegate-dropped'] = headerList(dropped);
  return headers;
}

/** Names that a caller chose: only what a header can carry, and not more than one should. */
function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/[^\x21-\x7e ]|,/g, '?').slice(0, 100))
    .slice(0, 20)
    .join(', ');
}

/** What the work, which never fails, came to; or that it takes longer. */
function within<Result>(ms: number, work: Promise<Result>): Promise<Result | 'waiting'> {
  return new Promise((resolve) => {
    const timeout = setTimeout(resolve, ms, 'waiting');
    void work.then((result) => {
      clearTimeout(timeout);
      resolve(result);
    });
  });
}

/** Sends the call to one channel after the other until one answers. Nothing has reached the client yet. */
async function tryChannels(call: RunningCall, client: ClientStream | null): Promise<Outcome> {
  const { services, admission, model } = call;
  const { health, picker, channels, context } = services;
  const pinned = admission.pinnedChannel === undefined ? undefined : channels.get(admission.pinnedChannel);
  const tried = new Set<number>();
  const mostTries = pinned === undefined ? context.settings.get('RetryTimes') + 1 : 1;
  let last: Outcome = { kind: 'no_channel' };
  while (tried.size < mostTries) {
    if (call.hasLeft || services.isEnding()) return { kind: 'left', sent: null };
    const channel = pinned ?? picker.pick({ group: admission.group, model, tried });
    if (channel === null) break;
    tried.add(channel.id);
    const attempt: Attempt = { channel: channel.id, channel_name: channel.name, status: 0, start_ms: elapsed(call), end_ms: 0 };
    call.attempts.push(attempt);
    const result = await tryChannel(call, channel, { client, attempt }).catch((fault: unknown) => {
      health.released(channel.id, model);
      throw fault;
    });
    if (result.kind === 'stream') return { kind: 'stream', relay: result.relay };
    attempt.end_ms = elapsed(call);
    if (result.kind === 'left') {
      health.released(channel.id, model);
      return { kind: 'left', sent: result.sent };
    }
    if (result.kind === 'whole') {
      health.succeeded(channel.id, model);
      services.figures.called(channel.id, result.firstByteMs - attempt.start_ms);
      return { kind: 'whole', result };
    }
    const { failure } = result;
    attempt.error = nameOf(failure, context.settings.get('AutomaticDisableKeywords'));
    noteFailure(call, channel, failure);
    last = { kind: 'failed', failure, channel };
    if (!isRetryable(failure, channel.type)) break;
  }
  return last;
}

function noteFailure(call: RunningCall, channel: PreparedChannel, failure: UpstreamFailure): void {
  const { context, health, figures } = call.services;
  // The caller's fault or ours: the channel had no part in it.
  if (failure.own !== undefined) {
    health.released(channel.id, call.model);
    return;
  }
  figures.called(channel.id, undefined);
  // A request that is bad says nothing about the channel.
  if (isRetryable(failure, channel.type) || failure.status >= 500) health.failed(channel.id, call.model, failure);
  else health.released(channel.id, call.model);
  const reason = reasonToDisable(context, channel, failure);
  if (reason !== null) context.waitUntil(disableChannel(context, channel.id, reason));
}

/** Books a call that got no answer: it costs nothing, but the log keeps its attempts. */
function endWithoutAnswer(call: RunningCall, outcome: NoAnswer): { error: ErrorObject; retryAfter: number | undefined } {
  const { context } = call.services;
  if (call.attempts.length === 0 || outcome.kind === 'fault') context.ledger.release(call.reservation);
  // What the server itself cuts off costs nothing.
  else if (outcome.kind === 'left' && outcome.sent !== null && !call.wasCut) context.waitUntil(chargeLeftCall(call, outcome.sent));
  else {
    const row = chargeRow(call, {
      usage: null,
      channelId: outcome.kind === 'failed' ? outcome.channel.id : 0,
      upstreamModel: undefined,
      reasoningEffort: undefined,
      firstByteMs: undefined,
      ending: outcome.kind === 'left' ? leftEnding(call) : 'upstream_error',
      ...(outcome.kind === 'failed' ? { problem: outcome.failure.message } : {}),
    });
    // Not waited for: nothing is charged.
    context.waitUntil(context.ledger.settle(call.reservation, row));
  }
  if (outcome.kind === 'failed') {
    const keywords = context.settings.get('AutomaticDisableKeywords');
    return tellFailure(outcome.failure, { language: call.language, requestId: call.requestId, keywords });
  }
  const own = ownFailure(call, outcome);
  return { error: ownError(own, call.language, call.requestId), retryAfter: own.retryAfter };
}

function ownFailure(call: RunningCall, outcome: { kind: 'no_channel' | 'left' | 'fault' }): AppError {
  if (outcome.kind === 'left') return new AppError(call.services.isEnding() ? 'shutting_down' : 'client_closed');
  if (outcome.kind === 'fault') return new AppError('internal_error');
  return new AppError('no_channel', { group: call.admission.group, model: call.model }, { retryAfter: 5 });
}

function failureAnswer(call: RunningCall, error: AppError): Response {
  return errorAnswer(call.endpoint.dialect, ownError(error, call.language, call.requestId), call.requestId);
}

function leftEnding({ services }: RunningCall): CallEnding {
  return services.isEnding() ? 'shutdown' : 'client_closed';
}

function leave(call: RunningCall): void {
  markLeft(call);
  call.onLeave?.();
}
