// What a call speaks of beside its own request: something that an earlier one has left; and what it leaves itself. The relay keeps
// nothing: it is given the whole conversation, and hands over what came of it.
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
   * Only for a body that its endpoint's `check` let pass. Null: it speaks of nothing that is kept, and leaves nothing. Whoever gets a
   * conversation closes it.
   * @throws {AppError} of what is not there, or is not this caller's
   */
  open(requested: RequestedConversation): CallConversation | null | Promise<CallConversation | null>;
}

/** Of each kind of state that formats have at their providers, who keeps it here. */
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
  /** The request with all that it speaks of in it. Goes on in the place of the caller's own. */
  readonly body: RelayBody;
  /** Bytes that it holds for that, roughly. */
  readonly bytes: number;
  /** What its response is called from then on, and whether it is kept. */
  readonly leaves: { readonly id: string; readonly isStored: boolean };
  /** The stream as its caller is told it. */
  pipe(pipe: StreamPipe): StreamPipe;
  /** A whole response whose call is settled. What is returned leaves, once it is kept. */
  storeWhole(response: Buffer): Promise<Buffer>;
  /** The ending of a stream whose call is settled. What is returned leaves, once it is kept. */
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
   * What its caller is told at once. `run` is called later, once.
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
  /** The call from its first attempt to its books. Resolves when the stream has begun or failed; the body hears of its end. Never rejects. */
  run(body: ClientBody): Promise<void>;
  /** Ends it as if its caller had hung up. */
  stop(): void;
  /** It will not be run: what is reserved goes back. */
  release(): void;
}
