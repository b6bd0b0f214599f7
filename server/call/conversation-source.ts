// Interface of stored conversations: inserts stored state that a request refers to, such as an earlier response, and stores the
// response. The relay receives the whole conversation and returns the result; it stores nothing itself.
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { StoredState } from '#server/formats/client-dialect.ts';
import type { Shortening } from '#server/formats/prompt-edits.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { ClientBody } from '#server/call/stream/client-stream.ts';

export interface ConversationSource {
  /**
   * Opens the conversation of a body that the endpoint's `check` accepted; null if it neither uses nor leaves stored state.
   * The caller must close the conversation.
   * @throws {AppError} for state that does not exist or belongs to another caller
   */
  open(requested: RequestedConversation): CallConversation | null | Promise<CallConversation | null>;
}

/** Sources by kind of stored state. */
export type ConversationSources = Readonly<Record<StoredState, ConversationSource>>;

export interface RequestedConversation {
  requestId: string;
  caller: Admission;
  body: RelayBody;
  /** Approximate bytes of the body in memory. */
  bytes: number;
  /** False for token counts, which produce no response. */
  isAnswered: boolean;
  /** Whether the call only compacts the conversation. */
  isCompaction: boolean;
  /** Encoding of the stream's events. */
  envelope: EventEncoding;
}

export interface CallConversation {
  /** Request with the stored state inserted, which replaces the caller's. */
  readonly body: RelayBody;
  /** Approximate bytes held for the request and the state. */
  readonly bytes: number;
  /** Id of the response, and whether it is stored. */
  readonly leaves: { readonly id: string; readonly isStored: boolean };
  /** Returns the stream as its caller receives it. */
  pipe(pipe: StreamPipe): StreamPipe;
  /** Stores a whole response whose call is settled, and returns the bytes to send. */
  storeWhole(response: Buffer): Promise<Buffer>;
  /** Stores the ending of a stream whose call is settled, and returns the bytes to send. */
  storeEnding(ending: Buffer): Promise<Buffer>;
  /** Releases the conversation at the end of the call; idempotent. */
  close(): void;
  /** Compaction of a long conversation. If undefined, none. */
  readonly shortening?: Shortening | undefined;
  /** Runs the call in the background. If undefined, the caller waits for the response. */
  readonly later?: LaterResponse;
}

export interface LaterResponse {
  /**
   * Returns the immediate response, after which `run` is called once.
   * @throws {AppError} `too_many_background`
   */
  begin(call: UnwatchedCall): Promise<DirectResponse>;
}

/** A call without a connection. */
export interface UnwatchedCall {
  requestId: string;
  model: string;
  /** Unix seconds. */
  createdAt: number;
  /** Headers of the stages for the immediate response. */
  headers: Readonly<Record<string, string>>;
  /**
   * Runs the call from its first attempt to its settlement. Resolves when the stream has begun or failed; the body is notified of its end. Never
   * rejects.
   */
  run(body: ClientBody): Promise<void>;
  /** Ends the call as if its caller had disconnected. */
  stop(): void;
  /** Releases the reservation of a call that will not run. */
  release(): void;
}
