// A turn of a socket: the call that a message requests, with its response as messages.
import { AppError } from '#shared/errors.ts';
import { messages } from '#server/framing/event-encoding.ts';
import { mostParts } from '#server/framing/part-budget.ts';
import { type CallAddress, callAddress } from '#server/formats/call-address.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { SocketDialect } from '#server/formats/socket-dialect.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { Connection } from '#server/http/connection.ts';
import type { BodyText } from '#server/http/parse-body.ts';
import type { RawBody } from '#server/http/read-body.ts';
import { openContent } from '#server/call/admission/read-content.ts';
import type { CallContent } from '#server/call/admission/call-content.ts';
import type { RequestedConversation, CallConversation, ConversationSource } from '#server/call/conversation-source.ts';
import type { RelayBody, RelayEndpoint } from '#server/call/endpoints.ts';
import { type RunningCall, stopCall } from '#server/call/running-call.ts';
import type { StageConnection } from '#server/call/stages.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { StreamedTurn } from '#server/call/turn.ts';
import { type ConnectionResponse, type ConnectionResponses, itemsUpTo, listText } from './connection-responses.ts';
import { SocketOutlet } from './socket-outlet.ts';

export interface RequestedTurn {
  queue: string | null;
  previousId: string | null;
  isWarmUp: boolean;
  message: RelayBody;
  raw: RawBody;
  parsed: BodyText;
  /** Memory of the message. */
  hold: BodyHold;
}

export interface TurnPlace {
  services: RelayServices;
  endpoint: RelayEndpoint;
  dialect: SocketDialect;
  request: Request;
  connection: Connection;
  remembered: ConnectionResponses;
  /** Source of state that is stored beyond the connection. */
  stored: ConversationSource;
  stages: StageConnection;
  /** Reports whether the client reads too slowly. */
  isFull(): boolean;
  /** Reports whether the connection is closed. */
  isGone(): boolean;
  send(message: Buffer, queue: string | null): void;
  sendError(error: ErrorObject, queue: string | null): void;
  sendFailure(error: AppError, queue: string | null): void;
}

const noFields: RelayBody = {};

export class SocketTurn implements StreamedTurn {
  readonly envelope = messages;
  readonly endpoint: RelayEndpoint;
  readonly request: Request;
  readonly connection: Connection;
  readonly address: CallAddress;
  readonly isFree: boolean;
  readonly stages: StageConnection;
  readonly #place: TurnPlace;
  readonly #requested: RequestedTurn;
  #before: ConnectionResponse | null = null;
  /** JSON of the items that the message adds to its conversation. */
  #input = '';
  /** Id of the response in a conversation that is stored beyond the connection; null for others. */
  #leaves: CallConversation['leaves'] | null = null;
  #content: CallContent | null = null;
  #call: RunningCall | null = null;
  #outlet: SocketOutlet | null = null;

  constructor(place: TurnPlace, requested: RequestedTurn) {
    this.#place = place;
    this.#requested = requested;
    this.endpoint = place.endpoint;
    this.request = place.request;
    this.connection = place.connection;
    this.address = callAddress(place.request, { model: undefined, verb: undefined });
    this.isFree = requested.isWarmUp;
    this.stages = place.stages;
  }

  async readContent(userId: number): Promise<CallContent> {
    const { services, dialect, remembered, endpoint } = this.#place;
    const { previousId, message, raw, parsed, hold } = this.#requested;
    const { bodies, env } = services.context;
    const before = previousId === null ? null : (remembered.take(previousId) ?? null);
    this.#before = before;
    const bytesBefore = before?.bytes ?? 0;
    const limit = env.MAX_REQUEST_BODY_MB * 1_000_000;
    if (raw.bytes.length + bytesBefore > limit) throw new AppError('body_too_large', { limit });
    const partsBefore = before?.parts ?? 0;
    if (raw.parts + partsBefore > mostParts) throw new AppError('body_too_complex');
    this.#input = listText(dialect.inputOf(message));
    hold.shrinkTo(raw.bytes.length);
    const previousItems = () => (before === null ? (previousId === null ? [] : null) : itemsUpTo(before));
    this.#content = await openContent(
      raw,
      {
        bodies,
        owner: `user:${userId}`,
        hold,
        names: endpoint.names,
        split: (body) => ({ ours: noFields, body: dialect.bodyOf(body, previousItems()) }),
      },
      { parsed, bytesBefore: bytesBefore + this.#input.length, partsBefore },
    );
    return this.#content;
  }

  /** Source of conversations that are stored beyond the connection, or continue a stored one. */
  readonly conversations: ConversationSource = {
    open: async (requested) => {
      const stored = await this.#openStored(requested);
      if (stored === null) return null;
      // The connection then stores all items, because it lacks the earlier ones.
      this.#input = listText(this.#place.dialect.inputOf(stored.body));
      this.#leaves = stored.leaves;
      return {
        body: stored.body,
        bytes: stored.bytes,
        leaves: stored.leaves,
        get shortening() {
          return stored.shortening;
        },
        pipe: (pipe) => stored.pipe(pipe),
        storeWhole: (response) => stored.storeWhole(response),
        close: () => stored.close(),
        storeEnding: async (ending) => {
          const reported = await stored.storeEnding(ending);
          if (!stored.leaves.isStored) this.#rememberReported(reported);
          return reported;
        },
      };
    },
  };

  async #openStored(requested: RequestedConversation): Promise<CallConversation | null> {
    const { previousId } = this.#requested;
    try {
      return await this.#place.stored.open(requested);
    } catch (failure) {
      // The response is neither stored nor known to the connection: clients then send the whole conversation.
      if (!(failure instanceof AppError) || failure.code !== 'responses_not_kept' || failure.field !== 'previous_response_id')
        throw failure;
      throw new AppError('previous_response_not_found', { id: (previousId ?? '').slice(0, 100) }, { field: failure.field });
    }
  }

  readonly onComplete = (response: Readonly<Record<string, unknown>>): void => {
    // The fields of a stored conversation are not in the response yet: it is stored after `storeEnding`.
    if (this.#leaves === null || this.isFree) this.#remember(response);
  };

  #rememberReported(ending: Buffer): void {
    const last = [...messages.data(ending)].at(-1);
    const response = last === undefined ? null : this.#place.dialect.responseIn(last);
    if (response !== null) this.#remember(response);
  }

  #remember(response: Readonly<Record<string, unknown>>): void {
    const { dialect, remembered } = this.#place;
    const { id, items } = dialect.outputOf(response);
    const all = [this.#input, listText(items)].filter((text) => text !== '').join(',');
    remembered.store(id, { before: this.#leaves === null ? this.#before : null, items: all });
  }

  follow(call: RunningCall): void {
    this.#call = call;
    if (this.#place.isGone()) this.left();
  }

  openOutlet(): SocketOutlet {
    const place = this.#place;
    const { queue } = this.#requested;
    const outlet = new SocketOutlet({
      send: (message) => place.send(message, queue),
      isFull: () => place.isFull(),
      sendCut: () => place.sendFailure(new AppError('internal_error'), queue),
    });
    this.#outlet = outlet;
    return outlet;
  }

  refuse(error: ErrorObject): void {
    this.#place.sendError(error, this.#requested.queue);
  }

  pause(): void {
    this.#outlet?.pause();
  }

  resume(): void {
    this.#outlet?.resume();
  }

  /** Called when the client has disconnected. */
  left(): void {
    const call = this.#call;
    if (call === null) return;
    call.content.release();
    call.buffer?.ended();
    if (this.#outlet === null) stopCall(call);
    else this.#outlet.disconnected();
  }

  /** Releases the memory of the turn at its end. */
  ended(): void {
    this.#content?.release();
    this.#requested.hold.shrinkTo(0);
    this.#call?.buffer?.ended();
    if (this.#before !== null) this.#place.remembered.release(this.#before);
  }
}
