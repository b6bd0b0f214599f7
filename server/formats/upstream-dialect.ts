// Upstream side of an API format: writes requests to providers and reads their responses.
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { FramedEvent } from '#server/framing/framing.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { ProviderObject } from './provider-objects.ts';
import type { AwaitedCall, Awaiting } from './awaiting.ts';
import type { FileDesk, LeftFile } from './left-files.ts';
import type { EncodeInput } from './encode-input.ts';
import type { IdentityPath } from './identity.ts';
import type { ChatRequest, ResponsePart } from './parts.ts';
import type { AddressUse, MediaAddress } from './media-addresses.ts';
import type { CacheMarks, ProviderTraits, ThinkingWords, ThoughtsRule } from './provider-traits.ts';
import type { CarriedFields } from './request-fields.ts';
import type { SealOrigin } from './seal.ts';
import type { ErrorInResponse } from './stream-pipe.ts';
import type { HostedAccess } from './hosted-tools.ts';
import type { Route } from './route.ts';
import type { Surcharges } from './surcharges.ts';
import type { TokenLimits } from './token-limits.ts';
import type { UnmappedFields } from './unmapped-fields.ts';

export type DialectSettings = Pick<Settings, 'get'>;

export interface WriteOptions {
  upstreamModel: string;
  /** Name for looking up model facts. If undefined, the model's. */
  knownAs?: string;
  /** Requests the usage of a stream if the format has a field for it. */
  forceUsage: boolean;
  settings: DialectSettings;
  /** Budget for copies of schema references. If undefined, a full one. */
  budget?: PartBudget;
  /** Fields that control thinking at the provider. If undefined, the format's default. */
  thinkingWords?: ThinkingWords | undefined;
  /** Fields in which the provider accepts thinking of earlier turns. If undefined, those of the format, if any. */
  thoughts?: ThoughtsRule | undefined;
  /** Whether cache marks are added if the caller set none. */
  marksPrompt?: boolean;
  /** Cache marks that the provider supports. If undefined, the format's. */
  cacheMarks?: CacheMarks | undefined;
  /** Whether unencrypted thinking of earlier turns is sent. If undefined, formats with such thinking drop it. */
  takesPlainThoughts?: boolean;
  /** Fields that the provider rejected, by their names in `doubtful`. If undefined, none. */
  withoutFields?: ReadonlySet<string> | undefined;
}

/** An optional field that some servers reject; the request is then retried without it. */
export interface DoubtfulField {
  name: string;
  /** Matches a rejection that does not contain the name. */
  refusal?: RegExp;
}

export interface WrittenRequest {
  body: Record<string, unknown>;
  /** Client fields that this format does not support and that were dropped. */
  dropped: readonly string[];
  /** Optional fields that some servers reject; on an error naming one, the call is retried without it. If undefined, none. */
  doubtful?: readonly DoubtfulField[];
  /** Files to upload before the call; placeholders for their ids are in the body. */
  files?: readonly LeftFile[];
}

export interface AppliedTraits {
  /** Changed body; the same object if nothing changed. */
  body: Readonly<Record<string, unknown>>;
  /** Client fields that the provider or its model does not support. */
  dropped: readonly string[];
}

/** Reads one stream, storing only what later events need. */
export interface StreamReader {
  read(event: FramedEvent): readonly ResponsePart[];
  /** Reads usage that is deferred because later events replace it. If undefined, none is deferred. */
  readUnread?(): readonly ResponsePart[];
  /** Whether the upstream ended the stream as its format requires. */
  readonly isComplete: boolean;
}

/** Collects a complete response from its stream. */
export interface Gathering {
  /** Reports whether an event is needed; others are dropped. */
  stores(event: FramedEvent): boolean;
  /** Returns the response, or an error, from the stored events; null if the stream was truncated. */
  whole(events: Iterable<FramedEvent>): Record<string, unknown> | null;
}

type Body = Readonly<Record<string, unknown>>;

/** WebSocket transport of a format: one message is the request, each response message an event. */
export interface SocketEnd {
  /** Reports whether the message is the last one. */
  isLast(message: string): boolean;
}

export interface UpstreamDialect {
  readonly name: string;
  /** Title of a format without callers. */
  readonly title?: string;
  /** Fields that limit the tokens of a choice; `noLimits` if none. */
  readonly limits: TokenLimits;
  /**
   * Returns the number of responses that a body requests per prompt, read loosely; undefined if the body has none. If the
   * member is undefined, there is always one response.
   */
  choicesIn?(body: Body): number | undefined;
  /** Request fields that the format carries; others are lost. */
  readonly carriedFields: CarriedFields;
  /** Identity path for clients of this format; null if it is no client format. */
  readonly identity: IdentityPath | null;
  /** Identity path of completions, if the format has them. */
  readonly completions?: IdentityPath;

  // Requests.
  /** Whether tool choices may list allowed tools at every provider of the format; else a provider's record states it. */
  readonly takesAllowedTools?: true;
  readonly surcharges?: Surcharges;
  /** Hosted tools. If undefined, the format has none. */
  readonly hosted?: HostedAccess;
  /** Whether models can search vector stores that a request names. */
  readonly searchesStores?: true;
  /**
   * Returns the path of the first id of an object in the provider's account, such as a file; undefined if there is none.
   * @param own id that the caller may use
   */
  findAccountObject(body: Body, own?: string): string | undefined;
  /** Replaces the caller's object id with the provider's. If undefined, the format has no such ids. */
  openAccountObject?(body: Body, own: ProviderObject): Body;
  /** Returns the form in which media URLs of other formats' requests are sent. If undefined, image and video as URLs, others as bytes. */
  addressUse?(address: MediaAddress, upstreamModel: string): AddressUse;
  /** Origin of required signatures on tool calls. If undefined, calls are not signed. */
  readonly signedCalls?: SealOrigin;
  /** Reports whether a body has functions that thinking models reject in this format. If undefined, none are rejected. */
  hasRefusedFunctions?(body: Body, facts: ModelFacts): boolean;
  /** Whether providers cache marked prompts only. If undefined, every prompt. */
  readonly preservesMarked?: true;
  /** Whether tool results that are JSON become objects. If undefined, they remain texts. */
  readonly parsesResults?: true;
  /** @throws {AppError} 400 `untranslatable` with a client field that cannot be carried and must not be dropped */
  writeRequest(request: ChatRequest, options: WriteOptions): WrittenRequest;
  /** Applies the provider's record and the settings to a body of this format, before the channel's fields overwrite it. */
  applyTraits(body: Body, input: EncodeInput): AppliedTraits;
  /** Upload endpoint for files of a call. If undefined, none. */
  readonly desk?: FileDesk;
  /** WebSocket transport. If undefined, HTTP. */
  readonly socket?: SocketEnd;
  /** Resolves contradictions between fields after all edits and limits. */
  normalize?(body: Body, input: EncodeInput): Body;
  /** Caller header with the format's version. */
  readonly versionHeader?: string;
  /** Headers in addition to the provider record's. */
  headers?(input: EncodeInput): Readonly<Record<string, string>>;
  /** Returns the thinking effort, for the log. */
  effortOf(body: Body): string | undefined;
  /** Reports whether cache writes of a request have a longer lifetime at a higher price, which responses do not report. */
  readonly writesLong?: (body: Body) => boolean;
  /** Lowest limit that providers accept. If undefined, any. */
  readonly leastMaxTokens?: number;
  /** Returns the limit to which a lower one is raised for that model. */
  leastLimit?(body: Body, model: string, settings: DialectSettings): number;

  // Responses.
  /** Response fields of the vendor's SDK that are not mapped to other formats. If undefined, the format has no SDK types. */
  readonly unmappedFields?: UnmappedFields;
  /**
   * Reads a complete response; null if the body is none of this format. Implausible counts become parts.
   * @param model requested model, for responses without one
   */
  readWhole(body: Body, provider: ProviderTraits | null, model?: string): readonly ResponsePart[] | null;
  createStreamReader(provider: ProviderTraits | null, model?: string): StreamReader;
  /** Collects complete responses, for providers that only stream. If undefined, no provider only streams. */
  readonly gathering?: Gathering;
  /** Polling of an asynchronous call. If undefined, calls are synchronous. */
  createAwaiting?(call: AwaitedCall): Awaiting;
  /** Reports whether the event belongs to a stream of this format. */
  isEvent(event: FramedEvent): boolean;
  /** Reads the error in a body of status 200 or in an event; null if there is none. */
  readError(text: string, provider: ProviderTraits | null): ErrorInResponse | null;
  /** Returns the body of a token count request. If undefined, a translated request cannot be counted. */
  countBody?(body: Body, route: Pick<Route, 'upstreamModel' | 'provider'>): Record<string, unknown>;
  /** Reads the token count in a response. If undefined, providers of this format cannot count. */
  readTokenCount?(body: Body): number | undefined;
  /** Reads the token count before prompt edits; undefined if not reported. */
  readOriginalTokenCount?(body: Body): number | undefined;
}
