// A turn: a request with a destination for its response. An HTTP request is one turn, a socket has many. Each turn is a separate
// call, with its admission, reservation and settlement.
import { type CallAddress, callAddress } from '#server/formats/call-address.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions } from '#server/formats/client-dialect.ts';
import { type EventEncoding, serverSentEvents } from '#server/framing/event-encoding.ts';
import { boundaryOf } from '#server/framing/multipart.ts';
import type { Connection } from '#server/http/connection.ts';
import { readContent } from '#server/call/admission/read-content.ts';
import type { CallContent } from '#server/call/admission/call-content.ts';
import { splitPlaygroundBody } from '#server/call/admission/playground-body.ts';
import type { ConversationSource } from '#server/call/conversation-source.ts';
import { endpointOf, type RelayEndpoint } from '#server/call/endpoints.ts';
import { type RunningCall, stopCall } from '#server/call/running-call.ts';
import type { StageConnection } from '#server/call/stages.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { ClientBody } from '#server/call/stream/client-stream.ts';
import type { BodySource } from '#server/call/stream/lean-body.ts';

export interface Turn {
  readonly endpoint: RelayEndpoint;
  /** Request with the caller's headers and address; for turns of a socket, the one that opened the socket. */
  readonly request: Request;
  readonly connection: Connection | null;
  /** Parts of the request other than the body. */
  readonly address: CallAddress;
  /**
   * Reads the body after the caller is known. The receiver must release it.
   * @throws {AppError}
   */
  readContent(userId: number): CallContent | Promise<CallContent>;
  /** Source of stored state that the request may refer to. If undefined, it may refer to none. */
  readonly conversations?: ConversationSource | undefined;
  /** Encoding of a stream's events. */
  readonly envelope: EventEncoding;
  /** Called with the complete response. */
  readonly onComplete?: ResponseWriterOptions['onComplete'];
  /** Makes the call end when its caller disconnects. */
  follow(call: RunningCall): void;
  /** Whether the turn does not count against the rate limit, because it calls no upstream or another turn has counted. */
  readonly isFree?: boolean;
  /** Whether the call is opened in advance; the stages' `begun` hooks run when the turn begins. */
  readonly isAhead?: boolean;
  /** Stages of a connection with many turns. If undefined, those of the process. */
  readonly stages?: StageConnection | undefined;
  /** Whether a repetition of the request may get the stored response of this turn. */
  readonly isRepeatable?: true;
  /** Call in which this turn is nested, whose admission it shares. If undefined, none. */
  readonly within?: Pick<RunningCall, 'admission' | 'stages'>;
}

/** Turn that may get the stored response of an earlier one. */
export interface RepeatableTurn extends Turn {
  readonly isRepeatable: true;
}

/** Returns `api-version` of the client's query. */
export function versionOf({ address }: Turn): string | undefined {
  return address.query.get('api-version') ?? undefined;
}

/** Destination of a turn's stream. */
export interface TurnOutlet extends ClientBody {
  /** Sets the source of the body, which is paused while the client reads slowly and notified when it has disconnected. */
  follow(source: BodySource): void;
  /** Resolves when the last message was sent. */
  readonly ended: Promise<void>;
}

/** Turn whose response is always a stream, which also contains refusals. */
export interface StreamedTurn extends Turn {
  openOutlet(): TurnOutlet;
  refuse(error: ErrorObject): void;
}

interface HttpRequest {
  request: Request;
  connection: Connection | null;
  conversations?: ConversationSource | undefined;
  /** Model in the path. If undefined, none. */
  pathModel?: string | undefined;
}

/** Creates the turn of an HTTP request. */
export function httpTurn(
  { context }: RelayServices,
  endpoint: RelayEndpoint,
  { request, connection, conversations, pathModel }: HttpRequest,
): RepeatableTurn {
  const limit = context.env.MAX_REQUEST_BODY_MB * 1_000_000;
  return {
    endpoint,
    request,
    connection,
    conversations,
    address: callAddress(request, { model: pathModel, verb: endpoint.pattern.verb }),
    envelope: serverSentEvents,
    isRepeatable: true,
    readContent(userId) {
      const boundary = endpoint.form === undefined ? undefined : boundaryOf(request.headers.get('content-type'));
      const form =
        boundary === undefined || endpoint.form === undefined ? undefined : { boundary, fields: endpoint.form, names: endpoint.names };
      const source = { request, connection, limit, userId, form, names: (value: unknown) => endpointOf(endpoint, value).names };
      return readContent(context.bodies, endpoint.callers === 'sessions' ? { ...source, split: splitPlaygroundBody } : source);
    },
    follow(call) {
      if (connection !== null) watchConnection(call, connection);
    },
  };
}

function watchConnection(call: RunningCall, { res }: Connection): void {
  // The client may have disconnected during the admission, and its `close` event is not repeated.
  if (res.closed || res.destroyed) {
    call.content.release();
    stopCall(call);
  }
  res.on('close', () => {
    call.content.release();
    // While an attempt runs, it may continue to read a complete response for its charge, and ends the buffer itself.
    if (call.stop.end === undefined || call.stream !== null) call.buffer?.ended();
    if (res.writableFinished) return;
    stopCall(call);
  });
}
