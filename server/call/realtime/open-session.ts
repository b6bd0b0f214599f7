// Opens a requested session: reserves its first turn or minute, then connects to the provider of a channel. Refusals before that
// are HTTP responses.
import { inFirstGroup, inServingGroup } from '#server/call/admission/auto-group.ts';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, type Language } from '#shared/errors.ts';
import { turnBody } from '#server/kinds/realtime/realtime-client.ts';
import type { Connection } from '#server/http/connection.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { settleCall } from '#server/call/settlement/settle-call.ts';
import { realtimeEndpoint } from '#server/call/endpoints.ts';
import { type ReportedFailure, reportFailure } from '#server/call/relay-failure.ts';
import { attempts, channelOnly } from '#server/call/routing/attempts.ts';
import { noteAnswered, noteFailed, noteStopped } from '#server/call/routing/note-attempt.ts';
import { elapsed, releaseCall, type RunningCall } from '#server/call/running-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import { SigningFailure } from '#server/exchange/auth/signing-failure.ts';
import { isRetryable } from '#server/exchange/failure-consequences.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import { handshakeOf } from '#server/exchange/handshake.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { SendFailure } from '#server/exchange/send-failure.ts';
import type { Upgrading } from '#server/exchange/upgrade.ts';
import { failureOfSend, parseUpstreamError, type UpstreamFailure } from '#server/exchange/upstream-error.ts';
import type { ClientSecret } from './client-secret.ts';
import { openTranscription, shortestSeconds } from './transcription-call.ts';
import { openMinute } from './minute-call.ts';
import { beginTurn, openTurn } from './open-turn.ts';
import { SessionContext } from './session-context.ts';
import { readSessionRequest, type SessionRequest, writesInSession } from './session-request.ts';

export interface OpenedSession {
  model: string;
  isBeta: boolean;
  /** The session only transcribes, without responses. */
  isTranscription: boolean;
  channel: PreparedChannel;
  route: ChannelRoute;
  /** Connection to the provider. */
  upstream: Duplex;
  context: SessionContext;
  /** Reservation of the first turn, minute or transcription. */
  first: RunningCall;
  /** Seconds of the first minute; null if turns are charged. */
  firstSeconds: number | null;
  /** Settings to apply before the client is notified of the session; null for the provider's defaults. */
  preset: Record<string, unknown> | null;
}

interface RequestedSession {
  services: RelayServices;
  request: Request;
  admission: Admission;
  /** Content of the client secret; null if the key is none. */
  secret: ClientSecret | null;
  connection: Connection;
  language: Language;
}

/** Error if no provider has opened the session. */
export class SessionRefused extends Error {
  readonly reported: ReportedFailure;

  constructor(reported: ReportedFailure) {
    super(reported.error.message);
    this.reported = reported;
  }
}

/** Maximum milliseconds for a provider to open a session. */
const mostOpening = 20_000;
/** Assumed tokens of a provider's default instructions. */
const usualInstructions = 1_000;

/** @throws {AppError} @throws {SessionRefused} */
export async function openSession(session: RequestedSession): Promise<OpenedSession> {
  // The model may be chosen here, so the group is not known yet.
  const form = readSessionRequest({ ...session, admission: inFirstGroup(session.services.context.settings, session.admission) });
  const { model, isBeta, isTranscription, preset } = form;
  const requested = { ...session, admission: inServingGroup(session.services, session.admission, { model, endpoint: realtimeEndpoint }) };
  const context = new SessionContext(model);
  context.add({ text: usualInstructions, audio: 0, image: 0 });
  const { call: first, seconds: firstSeconds = null } = await openFirst(requested, form, context);
  try {
    // The first minute begins with the session.
    if (firstSeconds !== null) await beginTurn(first);
    return { model, isBeta, isTranscription, context, first, firstSeconds, preset, ...(await openUpstream(requested, first, form)) };
  } catch (failure) {
    releaseCall(first);
    throw failure;
  }
}

interface First {
  call: RunningCall;
  seconds?: number;
}

async function openFirst(requested: RequestedSession, { model, isTranscription }: SessionRequest, context: SessionContext): Promise<First> {
  if (isTranscription) return { call: await openTranscription(requested, model, shortestSeconds) };
  const { quotes } = requested.services.context;
  if (quotes.knownPriceOf(model, requested.admission.group, requested.admission.user)?.price.kind === 'call')
    return openMinute(requested, model);
  return { call: await openTurn(requested, realtimeEndpoint, turnBody(model, context.size)) };
}

type Opened = Pick<OpenedSession, 'channel' | 'route' | 'upstream'>;

async function openUpstream(
  { services, connection, language }: RequestedSession,
  call: RunningCall,
  form: SessionRequest,
): Promise<Opened> {
  const { admission, model, requestId } = call;
  const next = attempts({
    services,
    group: admission.group,
    model,
    caller: admission.user.id,
    only: channelOnly(services, admission.pinnedChannel),
    routeTo: (channel) =>
      form.isTranscription && !writesInSession(channel, model)
        ? null
        : channel.route(realtimeEndpoint.dialect, 'realtime', model, { version: form.version }),
    records: call.attempts,
    elapsed: () => elapsed(call),
    isOver: () => services.isEnding() || connection.req.socket.destroyed,
  });
  let last: { channel: PreparedChannel; failure: UpstreamFailure } | null = null;
  for (let attempt = next(); attempt !== null; attempt = next()) {
    const { channel, route, record } = attempt;
    if (route === null) {
      noteStopped(call, attempt);
      continue;
    }
    const result = await connect({ services, connection, channel, route: route, form });
    if ('upstream' in result) {
      record.status = 101;
      noteAnswered(call, attempt, 'completed');
      return { channel, route: route, upstream: result.upstream };
    }
    noteFailed(call, attempt, result.failure);
    last = { channel, failure: result.failure };
    if (!isRetryable(result.failure, channel.provider)) break;
  }
  if (last === null) throw new AppError('no_channel', { group: admission.group, model }, { retryAfter: 5 });
  const { channel, failure } = last;
  await settleCall(call, { reason: 'upstream_failed', channel, request: null, usage: null, firstByteMs: undefined, failure });
  throw new SessionRefused(
    reportFailure(failure, { language, requestId, keywords: services.context.settings.get('AutomaticDisableKeywords') }),
  );
}

interface Connecting {
  services: RelayServices;
  connection: Connection;
  channel: PreparedChannel;
  route: ChannelRoute;
  form: SessionRequest;
}

/** Performs the handshake with one provider. */
async function connect({
  services,
  connection,
  channel,
  route,
  form,
}: Connecting): Promise<{ upstream: Duplex } | { failure: UpstreamFailure }> {
  const { sender, now, env } = services.context;
  let upgrading: Upgrading | null = null;
  const unwatch = watchClient(connection.req.socket, () => upgrading?.abort());
  try {
    const request = await route.format.authorize(handshakeOf(channel, route, form), { now: now(), sender });
    upgrading = sender.upgrade(request, { responseMs: Math.min(mostOpening, env.RELAY_TIMEOUT * 1000) });
    const response = await upgrading.response;
    if (response.kind === 'upgraded') return { upstream: response.socket };
    const { status, headers, body } = response;
    return { failure: parseUpstreamError({ status, text: body.toString('utf8', 0, 64 * 1024), headers, channel, now: now() }) };
  } catch (cause) {
    if (cause instanceof SendFailure) return { failure: failureOfSend(cause, 'first_byte') };
    if (!(cause instanceof SigningFailure)) throw cause;
    const { reason } = cause;
    if (reason instanceof SendFailure) return { failure: failureOfSend(reason, 'first_byte') };
    return { failure: parseUpstreamError({ ...reason, channel, now: now() }) };
  } finally {
    unwatch();
  }
}

/** Watches the connection of a client whose handshake is pending, because its end is reported only while it is read. Consumes no data. */
function watchClient(socket: Socket, onGone: () => void): () => void {
  const look = () => {};
  const ended = () => socket.destroy();
  socket.on('readable', look).once('end', ended).once('close', onGone);
  return () => {
    socket.off('readable', look).off('end', ended).off('close', onGone);
  };
}
