// How a format is spoken over a WebSocket: what its messages ask for, and how a conversation goes on from what the connection remembers.
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorObject } from './client-dialect.ts';

type Json = Record<string, unknown>;
type Body = Readonly<Json>;

export type SocketMessage =
  /** A call is asked for. */
  | {
      kind: 'turn';
      /** The response from which its conversation goes on; null: it is whole. */
      previousId: string | null;
      /** Nothing is to be generated: only what is remembered is made ready. */
      isWarmUp: boolean;
    }
  /** There is nothing to be done. */
  | { kind: 'notice' }
  /** What is asked for cannot be done, and the format has its own way to say so. */
  | { kind: 'declined'; reply: Json };

export interface SocketDialect {
  /** Most minutes that a connection lasts. */
  readonly mostMinutes: number;
  /** Calls at work at the same time on one connection. */
  readonly mostTurns: number;
  /** Lanes with names, on each of which one call is at work after the other. */
  readonly mostQueues: number;
  /** Headers of the request that opened a connection, as its calls have them. */
  callHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders;
  /** The lane that a message names; null: the one without a name. @throws {AppError} */
  queueOf(message: Body): string | null;
  /** @throws {AppError} with the field at fault */
  readMessage(message: Body): SocketMessage;
  /**
   * The body that the same call has over HTTP. @throws {AppError}
   * @param previous what its conversation goes on from; null: the connection does not know it
   */
  bodyOf(message: Body, previous: readonly unknown[] | null): Json;
  /** What a message adds to its conversation. @throws {AppError} */
  inputOf(message: Body): readonly unknown[];
  /** The response that a message ends with; null: it has none. */
  responseIn(message: string): Json | null;
  /** What later calls name a response by, and what it adds to its conversation. */
  outputOf(response: Body): { id: string; items: readonly unknown[] };
  /** A message as those on that lane look. */
  onQueue(message: string, lane: string): string;
  errorMessage(error: ErrorObject): Json;
}
