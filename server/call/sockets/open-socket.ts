// Opens sockets: checks the caller and the capacity, and completes the handshake. The socket is then a `CallSocket` or a
// `RealtimeSession`.
import { AppError } from '#shared/errors.ts';
import type { SocketDialect } from '#server/formats/socket-dialect.ts';
import type { Connection, Upgrade } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import { callerLanguage } from '#server/http/language.ts';
import { leanRequest } from '#server/http/lean-request.ts';
import { type DirectResponse, takenOver } from '#server/http/lean-response.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { createShares, type Shares } from '#server/queues/shares.ts';
import { notedAs, noteRefusal } from '#server/call/admission/note-refusal.ts';
import type { ConversationSource } from '#server/call/conversation-source.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { errorResponse, gatewayError, requestIdHeaders } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { MessageSocket, SocketReceiver } from '#server/sockets/message-socket.ts';
import { createSocketServer, keyInProtocols, type SocketServer } from '#server/sockets/socket-server.ts';
import { credentialOf } from '#server/call/admission/credential.ts';
import { type ClientSecret, openSecret, secretPrefix } from '#server/call/realtime/client-secret.ts';
import { openSession, SessionRefused } from '#server/call/realtime/open-session.ts';
import { RealtimeSession } from '#server/call/realtime/realtime-session.ts';
import { releaseCall } from '#server/call/running-call.ts';
import { clientHeadersOf } from '#server/call/admission/admit-call.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { StageConnection } from '#server/call/stages.ts';
import { createConnectionResponses } from './connection-responses.ts';
import { CallSocket } from './call-socket.ts';

export interface SocketRequest {
  endpoint: RelayEndpoint;
  request: Request;
  connection: Connection | null;
  /** Source of stored state that calls may refer to. */
  conversations: ConversationSource;
}

type RequestedSession = Omit<SocketRequest, 'conversations'>;

export interface RelaySockets {
  /** Opens a socket for calls. Never rejects: a refusal is an HTTP response in the format of the path. */
  open(requested: SocketRequest): Promise<DirectResponse>;
  /** Opens a realtime session. */
  openSession(requested: RequestedSession): Promise<DirectResponse>;
  readonly size: number;
  /** Closes all sockets with an error. */
  shutDown(): void;
  /** Starts no further calls on any socket. */
  drain(): void;
  stop(): void;
}

export function createRelaySockets(services: RelayServices): RelaySockets {
  const { context, gate, addressOf } = services;
  const { env } = context;
  const times = { pingMs: env.STREAM_KEEPALIVE * 1000, silentMs: env.CLIENT_TIMEOUT * 1000 };
  const room = createSocketServer(times, (cause) => context.log.error({ err: cause }, 'a socket failed unexpectedly'));
  const open = new Set<OpenSocket>();
  const shares = createShares<number>();
  const remembered = createConnectionResponses();
  const all = Math.floor((env.MAX_SOCKETS_MB * 1_000_000) / socketBytes);

  /** Admits the caller of a socket and counts the socket; throws an {@link AppError} otherwise. */
  async function admit(request: Request, connection: Connection): Promise<Admission> {
    const admission = await gate.admit(request);
    gate.checkUse(admission, addressOf(request, connection));
    const { id } = admission.user;
    const free = all - shares.total;
    if (free < 1) throw new AppError('sockets_full', {}, { retryAfter: 60 });
    // The fewer sockets are free, the fewer a user may have.
    const perOwner = Math.min(env.MAX_SOCKETS_PER_USER, Math.max(1, Math.floor(free / freeShare)));
    if (!shares.fits(id, 1, { perOwner })) throw new AppError('too_many_sockets', { limit: shares.of(id) }, { retryAfter: 60 });
    shares.add(id, 1);
    return admission;
  }

  return {
    async open({ endpoint, request: original, connection, conversations }) {
      const dialect = endpoint.socket;
      const request = connection === null ? original : callRequest(connection, dialect);
      const requestId = newRequestId(context);
      const language = callerLanguage(request.headers);
      try {
        const upgrade = connection?.upgrade;
        if (connection === null || upgrade === undefined || dialect === undefined) throw new AppError('websocket_missing');
        const admission = await admit(request, connection);
        const userId = admission.user.id;
        const stages = services.stages.connect(userId);
        const opening = {
          services,
          endpoint,
          dialect,
          request,
          userId,
          language,
          remembered: remembered.open(userId),
          stored: conversations,
          stages,
        };
        const extra = {
          ...requestIdHeaders(endpoint.surface, requestId),
          ...acceptHeaders(services, { admission, endpoint, request, stages }),
        };
        const free = () => shares.add(userId, -1);
        const openReceiver: OpenReceiver = (socket, { connection: bare, onClosed }) =>
          new CallSocket(socket, { ...opening, connection: bare, onClosed });
        const headers = headerLines(extra);
        return takenOver({
          drop: free,
          take: () => accept(connection, upgrade, { services, userId, room, open, openReceiver, headers, free, drop: free }),
        });
      } catch (failure) {
        const error = toAppError(failure, context, requestId);
        if (error.code !== 'websocket_missing')
          noteRefusal(services, error, { request, connection, requestId, progress: { requestId, model: '' } });
        return errorResponse(endpoint.surface, gatewayError(error, language, requestId), requestId, error.retryAfter);
      }
    },
    get size() {
      return open.size;
    },
    openSession: (requested) => openRealtime({ services, room, open, admit, shares }, requested),
    drain() {
      for (const socket of open) socket.drain();
    },
    shutDown() {
      for (const socket of open) socket.shutDown?.();
    },
    stop: () => room.stop(),
  };
}

/** Approximate memory of an idle connection: `npm run bench -- sockets`. */
const socketBytes = 40_000;
/** Divisor of the free sockets that one user may have. */
const freeShare = 4;

/** Returns the headers of the response that completes a handshake. */
function acceptHeaders(
  { modelTags }: Pick<RelayServices, 'modelTags'>,
  { admission, endpoint, request, stages }: { admission: Admission; endpoint: RelayEndpoint; request: Request; stages: StageConnection },
): Record<string, string> {
  const reported = clientHeadersOf(endpoint, request.headers);
  const headers = stages.headers(endpoint, reported);
  const { surface } = endpoint;
  const { modelTag } = surface;
  if (modelTag?.isWantedBy(reported) === true) headers[modelTag.header] = modelTags.read(admission, surface);
  return headers;
}

type OpenSocket = SocketReceiver & { drain(): void; shutDown?(): void };

type OpenReceiver = (socket: MessageSocket, opening: { connection: Connection; onClosed(socket: OpenSocket): void }) => OpenSocket;

interface Acceptance {
  services: RelayServices;
  userId: number;
  room: SocketServer;
  open: Set<OpenSocket>;
  openReceiver: OpenReceiver;
  /** Header lines of the handshake's response. */
  headers: readonly string[];
  /** Called when the socket is closed, to uncount it. */
  free(): void;
  /** Called if the handshake fails. */
  drop(): void;
}

function accept({ req, res }: Connection, { socket: raw, head }: Upgrade, acceptance: Acceptance): void {
  const { services, userId, room, open, openReceiver, headers, free, drop } = acceptance;
  const { bodies, env } = services.context;
  const limits = {
    mostBytes: env.MAX_REQUEST_BODY_MB * 1_000_000,
    hold: bodies.open(`user:${userId}`),
    watch: bodies.watch,
  };
  let isOpen = false;
  res.detachSocket(raw);
  room.accept(
    { request: req, socket: raw, head, headers },
    {
      limits,
      openReceiver(socket) {
        // Copies are passed, so that the objects of the upgrade are not retained while the socket is open.
        const receiver = openReceiver(socket, {
          connection: { req, res },
          onClosed(closed) {
            open.delete(closed);
            free();
          },
        });
        isOpen = true;
        open.add(receiver);
        return receiver;
      },
    },
  );
  if (!isOpen) drop();
}

interface SessionPlace extends Pick<Acceptance, 'services' | 'room' | 'open'> {
  /** @throws {AppError} */
  admit(request: Request, connection: Connection): Promise<Admission>;
  shares: Shares<number>;
}

/** Opens a session with a provider, before the handshake is completed. */
async function openRealtime(place: SessionPlace, { endpoint, request: original, connection }: RequestedSession): Promise<DirectResponse> {
  const { services, room, open, admit, shares } = place;
  const { context } = services;
  const shown = connection === null ? original : callRequest(connection, undefined);
  let request = shown;
  const requestId = newRequestId(context);
  const language = callerLanguage(request.headers);
  let free = () => {};
  try {
    const upgrade = connection?.upgrade;
    if (connection === null || upgrade === undefined) throw new AppError('websocket_missing');
    const secret = secretIn(services, request);
    // A client secret authorizes as the key that created it.
    if (secret !== null) request = withKey(connection, secret.key);
    const admission = await admit(request, connection);
    const { user } = admission;
    free = () => shares.add(user.id, -1);
    const opened = await openSession({ services, request, admission, connection, language, secret });
    const drop = () => {
      opened.upstream.destroy();
      releaseCall(opened.first);
      free();
    };
    const headers = headerLines(requestIdHeaders(endpoint.surface, requestId));
    const openReceiver: OpenReceiver = (socket, { connection: bare, onClosed }) =>
      new RealtimeSession(socket, opened.upstream, { services, request, connection: bare, language, userId: user.id, opened, onClosed });
    return takenOver({
      drop,
      take: () => accept(connection, upgrade, { services, userId: user.id, room, open, openReceiver, headers, free, drop }),
    });
  } catch (failure) {
    free();
    if (failure instanceof SessionRefused) {
      const { error, retryAfter } = failure.reported;
      return errorResponse(endpoint.surface, error, requestId, retryAfter);
    }
    const error = toAppError(failure, context, requestId);
    // The first turn may have been refused, and recorded, as a call.
    const reported = notedAs(error) ?? requestId;
    if (reported === requestId && error.code !== 'websocket_missing')
      noteRefusal(services, error, { request, connection, requestId, progress: { requestId, model: '' } });
    return errorResponse(endpoint.surface, gatewayError(error, language, reported), reported, error.retryAfter);
  }
}

/**
 * Opens a client secret; null if the key is none.
 * @throws {AppError} `key_invalid`, `key_expired`
 */
function secretIn({ context }: RelayServices, request: Request): ClientSecret | null {
  const shown = credentialOf(request).replace(/^bearer\s+/i, '');
  return shown.startsWith(secretPrefix) ? openSecret(context.secrets, shown, context.now()) : null;
}

function withKey({ req: { method, url, headers } }: Connection, key: string): Request {
  return leanRequest({ method, url, headers: { ...headers, authorization: key } });
}

/** Returns the request that authorizes calls. Clients that cannot set headers send the key as a protocol; cookies do not count. */
function callRequest({ req }: Connection, dialect: SocketDialect | undefined): Request {
  const key = req.headers.authorization === undefined ? keyInProtocols(req.headers['sec-websocket-protocol']) : undefined;
  const headers = dialect?.callHeaders(req.headers) ?? req.headers;
  const { method, url } = req;
  return leanRequest({ method, url, headers: key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` } });
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
