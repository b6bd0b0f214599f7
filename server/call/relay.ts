// The life of a relayed call, top to bottom.
import type { Connection } from '#server/http/connection.ts';
import { failureResponse, toAppError } from '#server/http/failure.ts';
import { dropBody } from '#server/http/read-body.ts';
import { usageUntilDisconnect } from '#server/call/settlement/call-usage.ts';
import { type CallEnd, settleCall } from '#server/call/settlement/settle-call.ts';
import { blockedResponse } from '#server/call/blocked-response.ts';
import { seesAccount } from '#server/call/admission/admission.ts';
import { noteRefusal } from '#server/call/admission/note-refusal.ts';
import { openCall, type RefusedTurn } from '#server/call/admission/open-call.ts';
import { bufferResponse, type DirectResponse, eventStreamHeaders, streamResponse } from '#server/http/lean-response.ts';
import type { ConversationSource, LaterResponse } from '#server/call/conversation-source.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import {
  errorResponse,
  noChannel,
  type ReportedFailure,
  reportEnd,
  reportError,
  requestIdHeaders,
  withHeaders,
} from '#server/call/relay-failure.ts';
import { releaseCall, type RunningCall, stopCall, voiceOf } from '#server/call/running-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import { everyHeaders } from '#server/call/every-headers.ts';
import type { RepeatedResponse } from '#server/call/stages.ts';
import { type ClientBody, ClientStream } from '#server/call/stream/client-stream.ts';
import { httpTurn, type StreamedTurn } from '#server/call/turn.ts';
import { type NoResponse, type Outcome, runAttempts } from '#server/call/run-attempts.ts';

/**
 * Handles one call. Never rejects: failures are reported in the endpoint's format.
 * @param source stored conversation of the call, which also stores its response; if undefined, nothing is stored
 * @param pathModel model in the path; undefined if it has none
 */
export async function relay(
  services: RelayServices,
  endpoint: RelayEndpoint,
  request: Request,
  connection: Connection | null,
  source?: ConversationSource,
  pathModel?: string,
): Promise<DirectResponse> {
  const opened = await openCall(services, httpTurn(services, endpoint, { request, connection, conversations: source, pathModel }));
  if ('refused' in opened) {
    if (connection !== null) dropBody(connection);
    return responseOfRefusal(endpoint, opened.refused);
  }
  if ('repeated' in opened) return repeatedResponse(endpoint, opened.repeated);
  const { call } = opened;
  const { conversation } = call;
  try {
    if (conversation?.later !== undefined) return await answerLater(call, conversation.later);
    if (call.stream !== null) return await answerStream(call);
    const answer = await wholeAnswer(call);
    const response = responseOfWhole(call, answer);
    const answered = response instanceof Promise ? await response : response;
    conversation?.close();
    return answered;
  } catch (failure) {
    services.context.log.error({ requestId: call.requestId, err: failure }, 'a relayed call failed unexpectedly');
    releaseCall(call);
    conversation?.close();
    return responseOfFailure(call, reportEnd(call, { reason: 'fault' }));
  }
}

/** Responds with the id of a background response, which the caller can retrieve later. */
async function answerLater(call: RunningCall, later: LaterResponse): Promise<DirectResponse> {
  const { services, content, requestId, model, createdAt } = call;
  const release = () => {
    releaseCall(call);
    content.release();
    call.conversation?.close();
  };
  try {
    return await later.begin({
      requestId,
      model,
      createdAt,
      headers: everyHeaders(call.stages),
      stop: () => stopCall(call),
      release,
      run: (reader) => runUnwatched(call, reader),
    });
  } catch (failure) {
    release();
    return responseOfFailure(call, reportError(call, toAppError(failure, services.context, requestId)));
  }
}

async function runUnwatched(call: RunningCall, reader: ClientBody): Promise<void> {
  const { clock, context } = call.services;
  const keepAliveMs = context.env.STREAM_KEEPALIVE * 1000;
  const openVoice = () => voiceOf(call);
  const client = new ClientStream(clock, { keepAliveMs, reader, openVoice, onDisconnect: () => stopCall(call) });
  try {
    const outcome = await runAttempts(call, client);
    if (outcome.kind === 'whole') throw new Error('A call that streams got a whole response');
    if (outcome.kind === 'none') client.fail(endWithoutResponse(call, outcome).error);
  } catch (failure) {
    context.log.error({ requestId: call.requestId, err: failure }, 'a relayed call failed unexpectedly');
    releaseCall(call);
    client.fail(reportEnd(call, { reason: 'fault' }).error);
  } finally {
    call.content.release();
  }
}

/** Builds the response. Returns a promise only if a conversation or a stage stores it. */
function responseOfWhole(call: RunningCall, answer: WholeAnswer | ReportedFailure): Response | Promise<Response> {
  if ('error' in answer) return responseOfFailure(call, answer);
  let isStored = call.conversation !== null;
  for (const stage of call.stages) if (stage.answered !== undefined) isStored = true;
  if (isStored) return storeWhole(call, answer);
  return bufferResponse(200, { 'content-type': answer.contentType, ...headersOf(call) }, answer.body);
}

async function storeWhole(call: RunningCall, answer: WholeAnswer): Promise<Response> {
  const { contentType, body, wasRead } = answer;
  // A response that no one receives, now or by a retry, is not stored.
  const isReceived = !wasRead || call.stages.some(({ answered }) => answered !== undefined);
  const reported = call.conversation === null || !isReceived ? body : await call.conversation.storeWhole(body);
  for (const stage of call.stages) if (stage.answered !== undefined) await stage.answered(call, { contentType, body: reported });
  return bufferResponse(200, { 'content-type': contentType, ...headersOf(call) }, reported);
}

/** Builds the response for a request that repeats an earlier call's. */
function repeatedResponse({ surface }: RelayEndpoint, { requestId, contentType, body }: RepeatedResponse): Response {
  return bufferResponse(200, { 'content-type': contentType, ...requestIdHeaders(surface, requestId), 'idempotent-replayed': 'true' }, body);
}

/** Complete response of a settled call. */
export interface WholeAnswer {
  contentType: string;
  body: Buffer;
  /** Whether the caller had disconnected, and the response was read for its usage. */
  wasRead: boolean;
}

/** Runs a call that does not stream, and settles it. */
export async function wholeAnswer(call: RunningCall): Promise<WholeAnswer | ReportedFailure> {
  const outcome = await runAttempts(call, null);
  if (outcome.kind === 'stream') throw new Error('A call that does not stream got a stream');
  if (outcome.kind === 'none') return endWithoutResponse(call, outcome);
  const { attempt, usage, firstByteMs, contentType, body, isBlocked } = outcome.result;
  const { channel, request } = attempt;
  const wasRead = call.stop.reason !== undefined;
  // The response is sent after its charge is durable: a call that is not settled is not answered.
  const reason = wasRead ? 'client_disconnected' : isBlocked ? 'blocked_words' : 'completed';
  await settleCall(call, { reason, channel, request, usage, firstByteMs, wasRead });
  // A blocked response is not stored for a caller that has disconnected either.
  if (isBlocked) return reportEnd(call, { reason: 'blocked_words' });
  return { contentType, body, wasRead };
}

/** Responds with a stream. Waits a limited time for the first event, so that a failure before it is a response with its status. */
async function answerStream(call: RunningCall): Promise<DirectResponse> {
  const { clock, context } = call.services;
  const keepAliveMs = context.env.STREAM_KEEPALIVE * 1000;
  const openVoice = () => voiceOf(call);
  const client = new ClientStream(clock, { keepAliveMs, openVoice, onDisconnect: () => stopCall(call) });
  // The attempts may outlive this function, so their faults must end the client's stream too.
  const running = runAttempts(call, client).catch((failure: unknown): Outcome => {
    context.log.error({ requestId: call.requestId, err: failure }, 'a relayed call failed unexpectedly');
    return { kind: 'none', reason: 'fault' };
  });
  const outcome = await within(keepAliveMs, running);
  if (outcome !== 'waiting' && outcome.kind !== 'stream') {
    if (outcome.kind === 'whole') throw new Error('A call that streams got a whole response');
    return responseOfFailure(call, endWithoutResponse(call, outcome));
  }
  client.begin();
  if (outcome === 'waiting') {
    const ending = running.then((late) => {
      if (late.kind === 'none') client.fail(endWithoutResponse(call, late).error);
    });
    context.waitUntil(
      ending.catch((failure: unknown) => {
        client.cut();
        throw failure;
      }),
    );
  }
  const contentType = call.stream?.contentType;
  const type = contentType === undefined ? {} : { 'content-type': contentType };
  return streamResponse(200, { ...eventStreamHeaders, ...type, ...headersOf(call) }, client.body);
}

/** Handles a turn whose response is always a stream, e.g. on a socket. Resolves when its last message is sent; never rejects. */
export async function relayTurn(services: RelayServices, turn: StreamedTurn): Promise<void> {
  const opened = await openCall(services, turn);
  if ('refused' in opened) {
    const { reported, error, requestId, headers } = opened.refused;
    turn.refuse(withHeaders(reported, { requestId, retryAfter: error.retryAfter, headers }));
    return;
  }
  const { call } = opened;
  const { clock, context } = services;
  const outlet = turn.openOutlet();
  const client = new ClientStream(clock, {
    keepAliveMs: context.env.STREAM_KEEPALIVE * 1000,
    reader: outlet,
    openVoice: () => voiceOf(call),
    onDisconnect: () => stopCall(call),
  });
  outlet.follow(client);
  client.begin();
  try {
    const outcome = await runAttempts(call, client);
    if (outcome.kind === 'whole') throw new Error('A call that streams got a whole response');
    if (outcome.kind === 'none') failTurn(call, client, endWithoutResponse(call, outcome));
  } catch (failure) {
    context.log.error({ requestId: call.requestId, err: failure }, 'a relayed call failed unexpectedly');
    failTurn(call, client, endWithoutResponse(call, { kind: 'none', reason: 'fault' }));
  }
  await outlet.ended;
}

function failTurn({ requestId, stages }: RunningCall, client: ClientStream, { error, retryAfter }: ReportedFailure): void {
  client.fail(withHeaders(error, { requestId, retryAfter, headers: everyHeaders(stages) }));
}

function headersOf(call: RunningCall): Record<string, string> {
  const { services, requestId, sent, endpoint, admission, clientHeaders, model, replaced, reserved } = call;
  const { surface } = endpoint;
  const headers = requestIdHeaders(surface, requestId);
  if (surface.modelTag?.isWantedBy(clientHeaders) === true) headers[surface.modelTag.header] = services.modelTags.read(admission, surface);
  if (sent !== null && sent.dropped.length > 0) headers['x-tidegate-dropped'] = headerList(sent.dropped);
  if (replaced !== undefined) headers['x-tidegate-model'] = headerList([model]);
  const { reservation } = reserved;
  if (reservation.budgets.length > 0) Object.assign(headers, services.context.budgets.headers(reservation, seesAccount(admission)));
  for (const stage of call.stages) {
    if (stage.everyHeaders !== undefined) Object.assign(headers, stage.everyHeaders());
    Object.assign(headers, stage.headers?.());
  }
  return headers;
}

/** Joins names for a header; callers choose some, so characters and length are restricted. */
function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/[^\x21-\x7e ]|,/g, '?').slice(0, 100))
    .slice(0, 20)
    .join(', ');
}

/** Resolves to the result of the work, which must not reject, or to `waiting` after the time. */
function within<Result>(ms: number, work: Promise<Result>): Promise<Result | 'waiting'> {
  return new Promise((resolve) => {
    const timeout = setTimeout(resolve, ms, 'waiting');
    void work.then((result) => {
      clearTimeout(timeout);
      resolve(result);
    });
  });
}

/** Settles a call without a response; its log row has the attempts. It is charged if the provider bills it, e.g. after a disconnect. */
function endWithoutResponse(call: RunningCall, outcome: NoResponse): ReportedFailure {
  call.conversation?.close();
  const { reason, channel, failure, unpassed = null } = outcome;
  const { context } = call.services;
  const attempt = unpassed?.attempt ?? (reason === 'client_disconnected' ? outcome.attempt : null) ?? null;
  if (call.attempts.length === 0) noteUnsent(call, outcome);
  if (call.attempts.length === 0 || reason === 'fault') releaseCall(call);
  else {
    const end: CallEnd =
      attempt !== null
        ? {
            reason,
            channel: attempt.channel,
            request: attempt.request,
            usage: unpassed === null ? usageUntilDisconnect(call, attempt) : unpassed.usage(),
            firstByteMs: undefined,
            isCut: unpassed === null || unpassed.isCut === true,
          }
        : { reason, channel: channel ?? null, request: null, usage: null, firstByteMs: undefined };
    // The error response does not wait for the settlement, because it reports no charge.
    context.waitUntil(settleCall(call, failure === undefined ? end : { ...end, failure }));
  }
  return outcome.reported ?? reportEnd(call, { reason, failure });
}

/** Records a call that was sent to no channel as a refusal. */
function noteUnsent(call: RunningCall, { reason, refusal }: NoResponse): void {
  const { services, turn, endpoint, admission, requestId, model } = call;
  const { request, connection } = turn;
  const error = refusal ?? (reason === 'no_channel' ? noChannel(call) : undefined);
  if (error === undefined) return;
  const caller = endpoint.callers === 'sessions' ? { caller: admission } : {};
  noteRefusal(services, error, { request, connection, requestId, progress: { requestId, model, ...caller } });
}

function responseOfRefusal(
  { surface }: RelayEndpoint,
  { error, reported, language, requestId, headers, isSignedOut }: RefusedTurn,
): Response {
  if (isSignedOut) return failureResponse(error, language, requestId);
  return errorResponse(surface, { ...reported, headers }, requestId, error.retryAfter);
}

function responseOfFailure(call: RunningCall, { error, retryAfter }: ReportedFailure): Response {
  const { endpoint, requestId, stages } = call;
  return (
    blockedResponse(call, error) ?? errorResponse(endpoint.surface, { ...error, headers: everyHeaders(stages) }, requestId, retryAfter)
  );
}
