// Client side of an API format: reads callers' requests and writes their responses.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { ApiSurface, ErrorObject } from '#server/surfaces/api-surface.ts';
import type { RequestedCall, CallAddress } from './call-address.ts';
import type { ConversationBeginning } from './conversation-beginning.ts';
import type { CriticalMembers } from './critical-members.ts';
import type { MultipartFields } from './multipart-body.ts';
import type { JsonTexts } from './json-texts.ts';
import type { MediaOf } from './media-addresses.ts';
import type { ChatRequest, ResponsePart } from './parts.ts';
import type { PromptEdits, Shortening } from './prompt-edits.ts';
import type { PromptContent } from './prompt-content.ts';
import type { ClientFields } from './request-fields.ts';
import type { SessionIds } from './session-headers.ts';
import type { SocketDialect } from './socket-dialect.ts';
import type { TokenLimits } from './token-limits.ts';

/** Fields of a body that admission and billing need before the request is parsed. */
export interface CallParameters {
  /** Maximum tokens of one choice; 0 if the request sets none. */
  maxTokens: number;
  choices: number;
  /** Number of prompts, each with that many choices. If undefined, one. */
  prompts?: number;
  /** Whether the caller requests the usage of a stream. */
  wantsUsage: boolean;
  /** Rough maximum of response bytes per token, alternatives in logprobs included. */
  mostTokenBytes: number;
}

/** Maximum bytes of JSON for one token of text. */
export const plainTokenBytes = 24;

export interface ResponseWriterOptions {
  model: string;
  requestId: string;
  createdAt: number;
  wantsUsage: boolean;
  /** Estimated prompt tokens, for formats that report them before the upstream does. */
  promptEstimate: number;
  /** Request fields that the response repeats or depends on: `ClientCall.responseFields`. */
  requested?: Readonly<Record<string, unknown>>;
  /** Leaves the provider's ids unchanged, because the output replaces the provider's response. */
  preservesIds?: boolean;
  /** Current time in Unix seconds. If undefined, the completion time is not needed. */
  now?(): number;
  /** Encoding of stream events. If undefined, server-sent events. */
  envelope?: EventEncoding;
  /** Receives the complete response in the client's format. */
  onComplete?(response: Readonly<Record<string, unknown>>): void;
}

/** Keep-alives and error events of a stream. Every method returns whole events. */
export interface StreamVoice {
  /** Writes a keep-alive while the upstream is silent. */
  keepAlive(): string;
  /** Writes an error as the last event. Nothing may be written afterwards. */
  fail(error: ErrorObject): string;
  /** The format has neither keep-alives nor error events; on error the connection is closed. */
  readonly isMute?: boolean;
}

/** Writes one stream. Every method returns whole events, possibly none. */
export interface StreamWriter extends StreamVoice {
  write(part: ResponsePart): string;
  /** Ends the stream with the charged usage. Nothing may be written afterwards. */
  end(usage: TokenUsage | null): string;
}

type Body = Readonly<Record<string, unknown>>;

/** Formats with conversation state at their providers; the gateway stores each kind separately. */
export type StoredState = 'responses' | 'interactions' | 'threads';

/** One kind of call in a client format. */
export interface ClientCall {
  /** Reads model and stream before the body is validated. @throws {AppError} 400 with the field at fault */
  read(body: Body, address: CallAddress): RequestedCall;
  /** @throws {AppError} 400 with the field at fault */
  check(body: Body): void;
  /** Requires a body that `check` accepted. */
  parameters(body: Body): CallParameters;
  /**
   * Collects the prompt content of a body. Read loosely, since rejected requests are estimated too.
   * @param isLarge whether the body is large, so that the content is not copied
   */
  promptContent(body: Body, model: string, isLarge?: boolean): PromptContent;
  /** Returns the body with the media of its URLs inlined. Read loosely. If undefined, the format has no URLs that others may download. */
  withMedia?(body: Body, mediaOf: MediaOf): Body;
  /** Members whose names must be spelled exactly. */
  names: CriticalMembers;
  /** Multipart fields. If undefined, requests are JSON only. */
  form?: MultipartFields;
  /** Request fields that determine how the response is written. */
  responseFields?(body: Body, address: CallAddress): Readonly<Record<string, unknown>>;
  /**
   * Prompt edits (context management) that the request wants; the response reports which were applied. If null, none. If undefined, the
   * format has none.
   */
  promptEdits?(body: Body): PromptEdits | null;
  /** Compaction that the request wants and the response reports. If null, none. If undefined, the format has none. */
  shortening?(body: Body): Shortening | null;
  /** Returns the keep-alives and errors of a stream with those `responseFields`. If undefined, the writer's. */
  voiceOf?(requested: Readonly<Record<string, unknown>>): StreamVoice | undefined;
  /** Stored state that requests may reference and responses may be added to. If undefined, calls are stateless. */
  refersToStored?: StoredState;
  /** Whether the call only compacts its conversation. */
  isCompaction?: boolean;
  /**
   * Returns the smallest request that tests a model.
   * @param upstreamModel model name at the provider, which determines the limits
   */
  probe?(model: string, upstreamModel: string): Record<string, unknown>;
}

export interface ClientDialect {
  readonly name: string;
  readonly title: string;
  /** API surface whose paths take the format. */
  readonly surface: ApiSurface;
  /** Kinds of calls of the format. If undefined, the format does not have the kind. */
  readonly calls: Readonly<Partial<Record<'chat' | 'count_tokens' | 'completions', ClientCall>>>;
  /** Detects bodies of this format on the path of another one. If undefined, they are not accepted there. */
  isShapeOf?(body: Body): boolean;
  /** Format whose hosted tools requests may contain as they are. If undefined, none. */
  readonly holdsObjectsOf?: string;
  /** Fields that limit the tokens of a choice. */
  readonly limits: TokenLimits;
  readonly clientFields: ClientFields;
  /**
   * Reads a body that `check` accepted into parts. Model and stream are replaced by those of `ClientCall.read`.
   * @throws {AppError} 400 with the field at fault
   */
  readRequest(body: Body): ChatRequest;
  /** JSON encoded in texts of a request, counted against the body's part budget when translated. If undefined, none. */
  readonly jsonTexts?: JsonTexts;
  /** Yields the objects of a request that contain a schema, read loosely. If undefined, there are none. */
  schemasIn?(body: Body): Iterable<unknown>;
  /** Returns the start of the conversation, read loosely. If undefined, the format has no conversations. */
  beginningOf?(body: Body): ConversationBeginning;
  /** Returns the caller's id of the provider object that a body continues. If undefined, the format has no such objects. */
  accountObjectOf?(body: Body): string | undefined;
  /** Whether prompts reference OpenAI files by `file_id`. */
  namesFiles?: true;
  /** Whether prompts reference Google's caches by `cachedContent`. */
  namesCaches?: true;
  /** Session ids in a body, read loosely; session headers are common to all formats. If undefined, bodies have none. */
  sessionIn?(body: Body): Partial<SessionIds> | null;
  /** Returns the body of a complete response. */
  writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Record<string, unknown>;
  createStreamWriter(options: ResponseWriterOptions): StreamWriter;
  /**
   * Writes the response of a token count.
   * @param original count before prompt edits; undefined if none were requested
   */
  writeTokenCount?(tokens: number, original: number | undefined): Record<string, unknown>;
  /** Whether a blocked prompt is reported as an empty response. If undefined, as an error. */
  readonly reportsBlockedPrompts?: true;
  /** WebSocket protocol of the format. If undefined, it has none. */
  readonly socket?: SocketDialect;
}
