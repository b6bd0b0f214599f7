// WebSocket protocol of a format: its messages, and continuation from what the connection stores.
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';

type Json = Record<string, unknown>;
type Body = Readonly<Json>;

export type SocketMessage =
  /** A call. */
  | {
      kind: 'turn';
      /** Response that the conversation continues. If null, the message has all of it. */
      previousId: string | null;
      /** Prepares the stored conversation without generating. */
      isWarmUp: boolean;
    }
  /** No action is needed. */
  | { kind: 'notice' }
  /** Unsupported request, rejected in the format's own way. */
  | { kind: 'declined'; reply: Json };

export interface SocketDialect {
  /** Maximum minutes of a connection. */
  readonly mostMinutes: number;
  /** Maximum concurrent calls on one connection. */
  readonly mostTurns: number;
  /** Maximum named queues; each runs one call at a time. */
  readonly mostQueues: number;
  /** Headers for the calls of a connection, from its opening request. */
  callHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders;
  /** Queue that a message names. If null, the default queue. @throws {AppError} */
  queueOf(message: Body): string | null;
  /** @throws {AppError} with the field at fault */
  readMessage(message: Body): SocketMessage;
  /**
   * Returns the call's body as sent over HTTP.
   * @throws {AppError}
   * @param previous stored conversation; null if the connection does not have it
   */
  bodyOf(message: Body, previous: readonly unknown[] | null): Json;
  /** Returns the items that a message adds to its conversation. @throws {AppError} */
  inputOf(message: Body): readonly unknown[];
  /** Response in a final message. If null, the message is not final. */
  responseIn(message: string): Json | null;
  /** Id of a response, and the items it adds to its conversation. */
  outputOf(response: Body): { id: string; items: readonly unknown[] };
  /** Returns a message as written on that queue. */
  onQueue(message: string, queue: string): string;
  errorMessage(error: ErrorObject): Json;
}
