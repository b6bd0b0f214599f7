// One turn of a caller: a request with a destination for its response. An HTTP request is one turn, a socket has many. Each is a call of its own:
// admitted, reserved for and settled by itself.
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
  /** The caller's headers and address. For a socket's turns it is the request that opened the socket. */
  readonly request: Request;
  readonly connection: Connection | null;
  /** The request apart from the body. */
  readonly address: CallAddress;
  /** Reads the request once its caller is known. The receiver must release it. @throws {AppError} */
  readContent(userId: number): CallContent | Promise<CallContent>;
  /** Source of the state that it refers to apart from its request; missing: it may refer to none. */
  readonly conversations?: ConversationSource | undefined;
  /** How the events of a stream leave. */
  readonly envelope: EventEncoding;
  /** Called with the response after all of it has arrived. */
  readonly onComplete?: ResponseWriterOptions['onComplete'];
  /** From now on the call ends when its caller leaves. */
  follow(call: RunningCall): void;
  /** It does not count against the rate limit: no upstream is called, or another turn has counted. */
  readonly isFree?: boolean;
  /** Its call is opened before it begins, and `begun` of the stages runs when it does. */
  readonly isAhead?: boolean;
  /** Stages of the connection, where one has many turns. If undefined, the process's. */
  readonly stages?: StageConnection | undefined;
  /** It is all that its request wants: a repetition of the request may get the same response. */
  readonly isRepeatable?: true;
  /** The call that this one is a part of: its caller is admitted. If undefined, none. */
  readonly within?: Pick<RunningCall, 'admission' | 'stages'>;
}

/** A turn whose response may be that of an earlier one. */
export interface RepeatableTurn extends Turn {
  readonly isRepeatable: true;
}

/** `api-version` of the client's query. */
export function versionOf({ address }: Turn): string | undefined {
  return address.query.get('api-version') ?? undefined;
}

/** Where the stream of a turn goes. */
export interface TurnOutlet extends ClientBody {
  /** Sets the writer of the body, which is paused while the client reads slowly, and notified when it has gone. */
  follow(source: BodySource): void;
  /** Its last word is on its way. */
  readonly ended: Promise<void>;
}

/** A turn whose response is always a stream, and whose refusal is a part of it. */
export interface StreamedTurn extends Turn {
  openOutlet(): TurnOutlet;
  refuse(error: ErrorObject): void;
}

interface HttpRequest {
  request: Request;
  connection: Connection | null;
  conversations?: ConversationSource | undefined;
  /** The model that the path names. */
  pathModel?: string | undefined;
}

/** The one turn of an HTTP request. */
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
  // The key, the rate limit and the reservation may have taken a while, and a past `close` event is not repeated.
  if (res.closed || res.destroyed) {
    call.content.release();
    stopCall(call);
  }
  res.on('close', () => {
    call.content.release();
    // While an attempt runs, a whole response may be read on for its charge: the attempt ends its buffer.
    if (call.stop.end === undefined || call.stream !== null) call.buffer?.ended();
    if (res.writableFinished) return;
    stopCall(call);
  });
}
