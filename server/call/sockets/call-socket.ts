// WebSocket over which a client sends many calls. The key is checked for every call, and while the connection is idle.
import { AppError, type Language } from '#shared/errors.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { SocketDialect } from '#server/formats/socket-dialect.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { partBytes } from '#server/framing/part-budget.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { Connection } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import { parseBody } from '#server/http/parse-body.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { scanBody } from '#server/http/scan-body.ts';
import { checkNames } from '#server/call/admission/check-names.ts';
import { noteRefusal } from '#server/call/admission/note-refusal.ts';
import type { ConversationSource } from '#server/call/conversation-source.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { relayTurn } from '#server/call/relay.ts';
import { gatewayError, withHeaders } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';
import { closeCodes, type MessageSocket, type SocketReceiver } from '#server/sockets/message-socket.ts';
import type { ConnectionResponses } from './connection-responses.ts';
import type { StageConnection } from '#server/call/stages.ts';
import { KeyWatch } from './key-watch.ts';
import { type ConnectionQueues, createConnectionQueues } from './connection-queues.ts';
import { type RequestedTurn, SocketTurn, type TurnPlace } from './socket-turn.ts';
import { warmUp } from './warm-up.ts';

export interface CallSocketOptions {
  services: RelayServices;
  endpoint: RelayEndpoint;
  dialect: SocketDialect;
  /** Request of the handshake. */
  request: Request;
  connection: Connection;
  userId: number;
  language: Language;
  remembered: ConnectionResponses;
  stored: ConversationSource;
  stages: StageConnection;
  onClosed(socket: CallSocket): void;
}

/** Maximum messages that wait for their queue or for being parsed. */
const mostWaiting = 64;

export class CallSocket implements SocketReceiver, TurnPlace {
  readonly services: RelayServices;
  readonly endpoint: RelayEndpoint;
  readonly dialect: SocketDialect;
  readonly request: Request;
  readonly connection: Connection;
  readonly remembered: ConnectionResponses;
  readonly stored: ConversationSource;
  readonly stages: StageConnection;
  readonly #options: CallSocketOptions;
  readonly #socket: MessageSocket;
  readonly #owner: string;
  readonly #endsAt: number;
  readonly #queues: ConnectionQueues;
  readonly #keys: KeyWatch;
  readonly #turns = new Set<SocketTurn>();
  #reading: Promise<void> = Promise.resolve();
  #unread = 0;
  #isGone = false;
  #isDraining = false;

  constructor(socket: MessageSocket, options: CallSocketOptions) {
    const { services, endpoint, dialect, request, connection, remembered, stored, userId, stages } = options;
    this.services = services;
    this.endpoint = endpoint;
    this.dialect = dialect;
    this.request = request;
    this.connection = connection;
    this.remembered = remembered;
    this.stored = stored;
    this.stages = stages;
    this.#options = options;
    this.#socket = socket;
    this.#owner = `user:${userId}`;
    this.#endsAt = services.context.now() + dialect.mostMinutes * 60_000;
    this.#keys = new KeyWatch({ services, request, connection }, (error) => this.#end(error, closeCodes.refused));
    const { mostTurns, mostQueues } = dialect;
    this.#queues = createConnectionQueues({ mostTurns, mostQueues, mostWaiting }, () => this.#closeIfDone());
  }

  /** Starts no further calls; those in progress continue. */
  drain(): void {
    this.#isDraining = true;
    this.#queues.dropWaiting();
    this.#closeIfDone();
  }

  // Events of the socket.

  message(bytes: Buffer): void {
    const hold = this.services.context.bodies.open(this.#owner);
    try {
      if (this.#unread >= mostWaiting) throw new AppError('too_many_turns', {}, { retryAfter: 1 });
      hold.grow(bytes.length);
    } catch (failure) {
      this.#refused(failure, null);
      return;
    }
    this.#unread += 1;
    // Messages are parsed one after the other, in their order.
    this.#reading = this.#reading
      .then(() => this.#read(bytes, hold))
      .finally(() => {
        this.#unread -= 1;
      });
  }

  refuse(error: AppError): void {
    this.#refused(error, null);
  }

  pause(): void {
    for (const turn of this.#turns) turn.pause();
  }

  resume(): void {
    for (const turn of this.#turns) turn.resume();
  }

  tick(): void {
    if (!this.#queues.isIdle) return;
    if (this.#isOld()) this.#closeIfDone();
    else this.#keys.check();
  }

  closed(): void {
    this.#isGone = true;
    this.#queues.dropWaiting();
    for (const turn of this.#turns) turn.left();
    this.remembered.clear();
    this.#options.onClosed(this);
  }

  // Called by turns.

  isFull(): boolean {
    return this.#socket.isFull;
  }

  isGone(): boolean {
    return this.#isGone;
  }

  send(message: Buffer, queue: string | null): void {
    this.#socket.send(queue === null ? message : this.dialect.onQueue(message.toString('utf8'), queue));
  }

  sendError(error: ErrorObject, queue: string | null): void {
    this.send(Buffer.from(JSON.stringify(this.dialect.errorMessage(error))), queue);
  }

  sendFailure(error: AppError, queue: string | null): void {
    const requestId = newRequestId(this.services.context);
    this.sendError(withHeaders(gatewayError(error, this.#options.language, requestId), { requestId, retryAfter: error.retryAfter }), queue);
  }

  /** Parses a message and starts its call. Never rejects. */
  async #read(bytes: Buffer, hold: BodyHold): Promise<void> {
    let queue: string | null = null;
    try {
      if (this.#isGone) throw new AppError('client_closed');
      const { bodies } = this.services.context;
      const raw = await scanBody(bytes);
      hold.grow(raw.parts * partBytes);
      const parsed = await parseBody(raw, bodies, this.#owner, ({ text, value }) => checkNames(value, text, raw, this.endpoint.names));
      const message = parsed.value;
      if (!isObject(message))
        throw new AppError('invalid_request', { detail: { zh: '消息必须是 JSON 对象', en: 'a message must be a JSON object' } });
      queue = this.dialect.queueOf(message);
      const requested = this.dialect.readMessage(message);
      if (requested.kind === 'turn') {
        const { previousId, isWarmUp } = requested;
        this.#enqueue({ queue, previousId, isWarmUp, message, raw, parsed, hold });
        return;
      }
      hold.shrinkTo(0);
      if (requested.kind === 'declined') this.send(Buffer.from(JSON.stringify(requested.reply)), queue);
    } catch (failure) {
      hold.shrinkTo(0);
      this.#refused(failure, queue);
    }
  }

  /**
   * Starts or queues the call of a message.
   * @throws {AppError} if it is refused
   */
  #enqueue(requested: RequestedTurn): void {
    if (this.#isGone) throw new AppError('client_closed');
    if (this.#isDraining) throw shuttingDown();
    if (this.#isOld()) throw this.#tooOld();
    const turn = new SocketTurn(this, requested);
    this.#queues.add(requested.queue, {
      run: () => this.#run(turn, requested),
      drop: () => {
        requested.hold.shrinkTo(0);
        if (this.#isDraining) this.sendFailure(shuttingDown(), requested.queue);
      },
    });
  }

  async #run(turn: SocketTurn, { isWarmUp, queue }: RequestedTurn): Promise<void> {
    this.#turns.add(turn);
    const { services } = this;
    const running = isWarmUp ? warmUp(services, turn) : relayTurn(services, turn);
    services.context.waitUntil(running);
    try {
      await running;
    } catch (failure) {
      services.context.log.error({ err: failure }, 'a turn of a socket failed unexpectedly');
      this.sendFailure(new AppError('internal_error'), queue);
    } finally {
      this.#turns.delete(turn);
      turn.ended();
    }
  }

  #refused(failure: unknown, queue: string | null): void {
    if (this.#isGone) return;
    const { context } = this.services;
    const requestId = newRequestId(context);
    const error = toAppError(failure, context, requestId);
    noteRefusal(this.services, error, {
      request: this.request,
      connection: this.connection,
      requestId,
      progress: { requestId, model: '' },
    });
    const reported = gatewayError(error, this.#options.language, requestId);
    this.sendError(withHeaders(reported, { requestId, retryAfter: error.retryAfter }), queue);
  }

  #isOld(): boolean {
    return this.services.context.now() >= this.#endsAt;
  }

  #tooOld(): AppError {
    return new AppError('websocket_connection_limit_reached', { minutes: this.dialect.mostMinutes });
  }

  #closeIfDone(): void {
    if (this.#isGone || !this.#queues.isIdle) return;
    if (this.#isDraining) this.#socket.close(closeCodes.goingAway, 'the server is shutting down');
    else if (this.#isOld()) this.#end(this.#tooOld(), closeCodes.normal);
  }

  #end(error: AppError, code: number): void {
    if (!this.#socket.isOpen) return;
    this.sendFailure(error, null);
    this.#socket.close(code, error.code);
  }
}

function shuttingDown(): AppError {
  return new AppError('shutting_down', {}, { retryAfter: 1 });
}
