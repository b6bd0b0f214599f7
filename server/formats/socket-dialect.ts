// WebSocket protocol of a format: its messages, and how they continue conversations that the connection stores.
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';

type Json = Record<string, unknown>;
type Body = Readonly<Json>;

export type SocketMessage =
  /** Message that requests a response. */
  | {
      kind: 'turn';
      /** Id of the response to continue; null if the message has the whole conversation. */
      previousId: string | null;
      /** Whether the conversation is only stored, without a response. */
      isWarmUp: boolean;
    }
  /** Message that requires no action. */
  | { kind: 'notice' }
  /** Unsupported request; `reply` rejects it as the format does. */
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
  /**
   * Returns the queue that a message names; null for the default queue.
   * @throws {AppError} `invalid_stream_id`
   */
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
  /** Returns the id of a response, and the items that it adds to its conversation. */
  outputOf(response: Body): { id: string; items: readonly unknown[] };
  /** Returns a message with the name of its queue. */
  onQueue(message: string, queue: string): string;
  errorMessage(error: ErrorObject): Json;
}
