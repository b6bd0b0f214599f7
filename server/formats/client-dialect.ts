// The format that a caller speaks: how its requests are read and its responses written.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { RequestedCall, CallAddress } from './call-address.ts';
import type { ConversationBeginning } from './conversation-beginning.ts';
import type { CriticalMembers } from './critical-members.ts';
import type { MultipartFields } from './multipart-body.ts';
import type { JsonTexts } from './json-texts.ts';
import type { MediaOf } from './media-addresses.ts';
import type { ChatRequest, ResponsePart } from './parts.ts';
import type { PromptEdits, Shortening } from './prompt-edits.ts';
import type { PromptContent } from './prompt-content.ts';
import type { SaidFields } from './request-fields.ts';
import type { SessionIds } from './session-ids.ts';
import type { SocketDialect } from './socket-dialect.ts';
import type { TokenLimits } from './token-limits.ts';

/** An error as the caller is told it; `type` and `code` are words of our own or the upstream's. */
export interface ErrorObject {
  message: string;
  type: string;
  param: string | null;
  code: string | number | null;
  /** HTTP status. */
  status: number;
  /** The provider's code, where a code of ours stands in its place. */
  upstreamCode?: string;
  /** Headers that say more of it, for where there is nothing but the error. */
  headers?: Readonly<Record<string, string>>;
}

/** What admission and money need of a body, without reading all of it. */
export interface CallParameters {
  /** The most tokens that one choice of the response may have; 0: not said. */
  maxTokens: number;
  choices: number;
  /** Prompts that each have so many of those choices; missing: one has them all. */
  prompts?: number;
  /** The caller wants to be told the usage of a stream. */
  wantsUsage: boolean;
  /** Bytes of a whole response for each of its tokens, at the most, roughly: what else might have been written counts. */
  mostTokenBytes: number;
}

/** JSON of a token's text. */
export const plainTokenBytes = 24;

export interface ResponseWriterOptions {
  model: string;
  requestId: string;
  /** Unix seconds. */
  createdAt: number;
  wantsUsage: boolean;
  /** Prompt tokens as estimated, for formats that name them before the upstream has. */
  promptEstimate: number;
  /** What the response repeats of its request, or is written by: `ClientCall.responseFields`. */
  requested?: Readonly<Record<string, unknown>>;
  /** Ids stay as the provider gave them: what is written stands for its own response. */
  preservesIds?: boolean;
  /** Unix seconds. Missing: nobody asks when the response is complete. */
  now?(): number;
  /** How the events of its stream leave; server-sent events where nothing is said. */
  envelope?: EventEncoding;
  /** Told of the response, in the format's own form, once all of it has come. */
  onComplete?(response: Readonly<Record<string, unknown>>): void;
}

/** What a stream says of itself, beside what the model writes. Every method returns the text of whole events. */
export interface StreamVoice {
  /** A sign of life while the upstream is silent. */
  keepAlive(): string;
  /** An error as the last event. Nothing may be written afterwards. */
  fail(error: ErrorObject): string;
  /** It has no words for either: silence stays, and an error breaks the connection off. Missing: it has. */
  readonly isMute?: boolean;
}

/** Writes one stream. Every method returns the text of whole events, possibly none. */
export interface StreamWriter extends StreamVoice {
  write(part: ResponsePart): string;
  /** The proper ending, with the usage as it is charged. Nothing may be written afterwards. */
  end(usage: TokenUsage | null): string;
}

/** A model that a caller may use. */
export interface ListedModel {
  id: string;
  /** Who makes it. */
  owner: string;
}

type Body = Readonly<Record<string, unknown>>;

/** Kinds of state that formats have at their providers: each is kept here in a form of its own. */
export type StoredState = 'responses' | 'interactions' | 'threads';

/** One thing that callers can ask for in a format. */
export interface ClientCall {
  /** Which model, and how it shall answer. Before anything else is looked at. @throws {AppError} 400 with the field at fault */
  read(body: Body, address: CallAddress): RequestedCall;
  /** @throws {AppError} 400 with the field at fault */
  check(body: Body): void;
  /** Only for a body that `check` let pass. */
  parameters(body: Body): CallParameters;
  /**
   * What of a body counts as prompt. Read loosely: it also serves estimates of what is refused later.
   * @param isLarge nothing of it is copied; missing: it may be
   */
  promptContent(body: Body, model: string, isLarge?: boolean): PromptContent;
  /** The same with what lies at the addresses that it names. Read loosely. Missing: it names none that anybody else may look up. */
  withMedia?(body: Body, mediaOf: MediaOf): Body;
  /** What of a request is taken in one spelling only. */
  names: CriticalMembers;
  /** Its requests may be forms. Missing: they are JSON. */
  form?: MultipartFields;
  /** What of a request says how its response is written. */
  responseFields?(body: Body, address: CallAddress): Readonly<Record<string, unknown>>;
  /** Changes of the prompt that a request asks for, and whose making is said in its response; null: none. Missing: none can be asked for. */
  promptEdits?(body: Body): PromptEdits | null;
  /** A request asks for its conversation to be shortened, and its response says so; null: it does not. Missing: none can ask. */
  shortening?(body: Body): Shortening | null;
  /** What its streams say of themselves, by `responseFields`. Missing or undefined: as the format's do. */
  voiceOf?(requested: Readonly<Record<string, unknown>>): StreamVoice | undefined;
  /** Its requests may speak of what earlier calls have left, and its responses be kept. Missing: no. */
  refersToStored?: StoredState;
  /** The conversation is to be shortened, and nothing else. Missing: no. */
  isCompaction?: boolean;
  /** The smallest request that shows whether a model answers. @param upstreamModel what the limits depend on */
  probe?(model: string, upstreamModel: string): Record<string, unknown>;
}

export interface ClientDialect {
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** Conversations in this format. Missing: callers cannot ask for that in it. */
  readonly calls: Readonly<Partial<Record<'chat' | 'count_tokens' | 'completions', ClientCall>>>;
  /** Whether a request to an address that several formats share is of this one. Missing: it is where no other one says so. */
  isSpokenWith?(headers: Headers, query: URLSearchParams): boolean;
  /** Whether a body that came to another format's address is of this one, and is answered here. Missing: none is. */
  isShapeOf?(body: Body): boolean;
  /** The other format whose own objects its bodies hold: tools that run at the provider are among equals there. Missing: none. */
  readonly holdsObjectsOf?: string;
  /** Headers of a client that are for a provider of the same format. */
  readonly forwardedHeaders: readonly string[];
  /** Of those, the one in which an upstream of the format gives its client what comes back with the next request. Missing: there is none. */
  readonly turnStateHeader?: string;
  /** The header in which the format's own libraries look for the id of a call. */
  readonly requestIdHeader: string;
  /** Where a body says how many tokens a choice may have. */
  readonly limits: TokenLimits;
  /** What a request can say. */
  readonly saidFields: SaidFields;
  /**
   * Only for a body that `check` let pass. Model and stream are as `ClientCall.read` says, whatever stands here.
   * @throws {AppError} 400 with the field at fault
   */
  readRequest(body: Body): ChatRequest;
  /** Texts of JSON in its requests, which count as parts of the body where a request is translated. Missing: there are none. */
  readonly jsonTexts?: JsonTexts;
  /** Objects with the schemas of its requests, each with no more than one; read loosely. Missing: there are none. */
  schemasIn?(body: Body): Iterable<unknown>;
  /** How a conversation begins, read loosely. Missing: the format has none. */
  beginningOf?(body: Body): ConversationBeginning;
  /** What a body goes on with in its provider's account, under the name that an earlier response has told. Missing: the format has no such thing. */
  accountObjectOf?(body: Body): string | undefined;
  /** Its prompts name files in OpenAI's account by `file_id`. */
  namesFiles?: true;
  /** Its prompts name caches in Google's account by `cachedContent`. */
  namesCaches?: true;
  /** The session that a body says it belongs to, read loosely; headers that say so are no format's. Missing: bodies say nothing. */
  sessionIn?(body: Body): Partial<SessionIds> | null;
  /** The body of a whole response. */
  writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Record<string, unknown>;
  createStreamWriter(options: ResponseWriterOptions): StreamWriter;
  /** The response to a call that only counts a prompt. */
  /** @param original the same before changes of the prompt that were asked for; undefined: none were */
  writeTokenCount?(tokens: number, original: number | undefined): Record<string, unknown>;
  writeModel(model: ListedModel): Record<string, unknown>;
  /** A list of models, or what the query asks of it. @throws {AppError} 400 with the parameter at fault */
  writeModelList(models: readonly ListedModel[], query: URLSearchParams): Record<string, unknown>;
  /**
   * Lists of models are tagged, and responses say by a header which tag is the newest, to clients whose forwarded headers tell that they
   * look at it. Missing: neither.
   */
  readonly modelTag?: { readonly header: string; isWantedBy(headers: Readonly<Record<string, string>>): boolean };
  /** To its callers a prompt that a filter has stopped is a response, without anything that was written. Missing: it is an error. */
  readonly reportsBlockedPrompts?: true;
  /** @param retryAfter seconds, where it is known */
  errorBody(error: ErrorObject, requestId: string, retryAfter?: number): Record<string, unknown>;
  /** How it is spoken over a WebSocket. Missing: it is not. */
  readonly socket?: SocketDialect;
}
