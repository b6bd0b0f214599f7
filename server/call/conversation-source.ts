// State that a call refers to apart from its request, such as an earlier response; and the state that it leaves. The relay stores nothing: it
// receives the whole conversation, and hands the result over.
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
   * Opens the conversation of a body that its endpoint's `check` accepted. Null: it refers to no stored state, and leaves none. The caller must close
   * the conversation.
   * @throws {AppError} of a state that does not exist, or belongs to another caller
   */
  open(requested: RequestedConversation): CallConversation | null | Promise<CallConversation | null>;
}

/** Store of each kind of state that formats have at their providers. */
export type ConversationSources = Readonly<Record<StoredState, ConversationSource>>;

export interface RequestedConversation {
  requestId: string;
  caller: Admission;
  body: RelayBody;
  /** What that takes in memory, roughly. */
  bytes: number;
  /** False: a prompt is counted, nothing comes of it. */
  isAnswered: boolean;
  /** The conversation is to be shortened, and nothing else. */
  isCompaction: boolean;
  /** How the events of its stream leave. */
  envelope: EventEncoding;
}

export interface CallConversation {
  /** The request with all referenced state inserted. Replaces the caller's own. */
  readonly body: RelayBody;
  /** Bytes that it holds for that, roughly. */
  readonly bytes: number;
  /** Id of the response from then on, and whether it is stored. */
  readonly leaves: { readonly id: string; readonly isStored: boolean };
  /** Returns the stream as its caller receives it. */
  pipe(pipe: StreamPipe): StreamPipe;
  /** Stores a whole response whose call is settled, and returns the bytes to send. */
  storeWhole(response: Buffer): Promise<Buffer>;
  /** Stores the ending of a stream whose call is settled, and returns the bytes to send. */
  storeEnding(ending: Buffer): Promise<Buffer>;
  /** However the call has ended; more than once is harmless. */
  close(): void;
  /** It is to be shortened when it is long. Missing: it stays as it is. */
  readonly shortening?: Shortening | undefined;
  /** Its caller does not wait for the response. Missing: the caller does. */
  readonly later?: LaterResponse;
}

export interface LaterResponse {
  /**
   * Returns the immediate response. `run` is called later, once.
   * @throws {AppError} when there are too many such calls
   */
  begin(call: UnwatchedCall): Promise<DirectResponse>;
}

/** A call without a connection. */
export interface UnwatchedCall {
  requestId: string;
  model: string;
  /** Unix seconds. */
  createdAt: number;
  /**
   * Runs the call from its first attempt to its settlement. Resolves when the stream has begun or failed; the body is notified of its end. Never
   * rejects.
   */
  run(body: ClientBody): Promise<void>;
  /** Ends it as if its caller had hung up. */
  stop(): void;
  /** It will not be run: what is reserved goes back. */
  release(): void;
}
