// The format that a provider speaks: how requests to it are written and its responses read.
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { FramedEvent } from '#server/framing/framing.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { ProviderObject } from './provider-objects.ts';
import type { AwaitedCall, Awaiting } from './awaiting.ts';
import type { FileDesk, LeftFile } from './left-files.ts';
import type { ResponseWriterOptions, StreamWriter } from './client-dialect.ts';
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
  /** The name that facts of the model are found by; missing: that one. */
  knownAs?: string;
  /** Ask for the usage of a stream where the format has a field for that. */
  forceUsage: boolean;
  settings: DialectSettings;
  /** Budget of what references in schemas copy. Missing: a whole one. */
  budget?: PartBudget;
  /** How the provider is told how much to think; missing: as the format has it. */
  thinkingWords?: ThinkingWords | undefined;
  /** How the provider takes thoughts of earlier turns. Missing: not at all, or as the format has it. */
  thoughts?: ThoughtsRule | undefined;
  /** What is worth it is marked for the provider's cache where the caller has not said what to keep. */
  marksPrompt?: boolean;
  /** Marks for the cache that the provider takes; missing: those of the format. */
  cacheMarks?: CacheMarks | undefined;
  /** Its models get thoughts of earlier turns that nobody has encrypted. Missing: they do not, where the format has such thoughts. */
  takesPlainThoughts?: boolean;
  /** Fields that the provider has refused, by their names as doubtful ones. Missing: none. */
  withoutFields?: ReadonlySet<string> | undefined;
}

/** A field that not everybody who speaks the format takes: refused for it, a request is sent again without. */
export interface DoubtfulField {
  name: string;
  /** What else than its name a refusal of it says. */
  refusal?: RegExp;
}

export interface WrittenRequest {
  body: Record<string, unknown>;
  /** Names of the client's fields that this format has no place for; the call goes on without them. */
  dropped: readonly string[];
  /** Fields that the provider may not know: refused for one, the call is sent again without. Missing: none. */
  doubtful?: readonly DoubtfulField[];
  /** Are left at the provider before the call; their marks stand in the body. */
  files?: readonly LeftFile[];
}

export interface AppliedTraits {
  /** The same object where nothing had to change. */
  body: Readonly<Record<string, unknown>>;
  /** Names of the client's fields that the provider or its model does not take. */
  dropped: readonly string[];
}

/** Reads one stream. Holds no more than the format needs to make sense of the next event. */
export interface StreamReader {
  read(event: FramedEvent): readonly ResponsePart[];
  /** Usage that was told and not read: what comes later replaces it. Missing: all that is told is read at once. */
  readUnread?(): readonly ResponsePart[];
  /** True once the upstream has said that nothing follows. */
  readonly isComplete: boolean;
}

/** How a whole response is put together out of a stream of it. */
export interface Gathering {
  /** Whether an event is needed for that; the others are not kept. */
  stores(event: FramedEvent): boolean;
  /** The response, or an error in its place, of the events that were kept. Null: the stream ended before it did. */
  whole(events: Iterable<FramedEvent>): Record<string, unknown> | null;
}

type Body = Readonly<Record<string, unknown>>;

/** Of a format that is spoken over WebSockets: one message asks, and each that comes back is an event. */
export interface SocketEnd {
  /** Nothing follows that message. */
  isLast(message: string): boolean;
}

export interface UpstreamDialect {
  readonly name: string;
  /** As people call it, where no caller speaks it. */
  readonly title?: string;
  /** Where a body says how many tokens a choice may have; `noLimits`: nowhere. */
  readonly limits: TokenLimits;
  /** How many responses a body asks for, for each of its prompts; undefined: it does not say. Read loosely. Missing: there is always one. */
  choicesIn?(body: Body): number | undefined;
  /** What it carries of what requests can say; the rest is lost. */
  readonly carriedFields: CarriedFields;
  /** The way of calls whose client speaks this format too; null: none does. */
  readonly identity: IdentityPath | null;
  /** The same of completions, where the format has them. */
  readonly completions?: IdentityPath;

  // Requests.
  /** A choice may name the tools that may be called, at every provider. Missing: the format cannot say so, or some providers of it do not know that. */
  readonly takesAllowedTools?: true;
  /** What costs more than the model's price. */
  readonly surcharges?: Surcharges;
  /** Tools that run at the provider; missing: the format has none. */
  readonly hosted?: HostedAccess;
  /** Its models search in vector stores that a request names. Missing: no provider of the format has such a search. */
  readonly searchesStores?: true;
  /** The first place of a body that names something in the provider's account, such as a file; undefined: none does. @param own a name that its caller may use */
  findAccountObject(body: Body, own?: string): string | undefined;
  /** The same body with the provider's name for what its caller goes on with. Missing: the format has no such thing. */
  openAccountObject?(body: Body, own: ProviderObject): Body;
  /** How it takes what requests of other formats name by addresses. Missing: pictures and films as they are, all else as bytes. */
  addressUse?(address: MediaAddress, upstreamModel: string): AddressUse;
  /** Whose signatures it has on calls of tools, which have to come back with them. Missing: calls are not signed. */
  readonly signedCalls?: SealOrigin;
  /** Whether a body has functions that models refuse in this format as long as they think. Missing: it takes functions from every model. */
  hasRefusedFunctions?(body: Body, facts: ModelFacts): boolean;
  /** Its providers keep in their caches only what a request marks. Missing: every prompt. */
  readonly preservesMarked?: true;
  /** Results of tools that are texts of JSON become objects in it. Missing: they stay texts. */
  readonly parsesResults?: true;
  /** @throws {AppError} 400 `untranslatable` with the client's field that cannot be carried over and must not be left out */
  writeRequest(request: ChatRequest, options: WriteOptions): WrittenRequest;
  /** What the provider's record and the settings make of a body in this format, before the channel's own fields overwrite it. */
  applyTraits(body: Body, input: EncodeInput): AppliedTraits;
  /** Where its providers take files before a call. Missing: what calls name lies elsewhere. */
  readonly desk?: FileDesk;
  /** It is spoken over WebSockets. Missing: by HTTP. */
  readonly socket?: SocketEnd;
  /** The last look at a body: puts right what edits and limits have made contradictory. */
  normalize?(body: Body, input: EncodeInput): Body;
  /** The header of the caller that names the version of the format. */
  readonly versionHeader?: string;
  /** Headers beside those of the provider's record. */
  headers?(input: EncodeInput): Readonly<Record<string, string>>;
  /** How much the model shall think, for the log. */
  effortOf(body: Body): string | undefined;
  /** Whether a request has what it writes to the cache stored for so long that it costs more, which no response reports; missing: no request can. */
  readonly writesLong?: (body: Body) => boolean;
  /** A limit of fewer tokens is refused by its providers; missing: any may be sent. */
  readonly leastMaxTokens?: number;
  /** Tokens below which a limit of a request for that model is raised on its way to this format. */
  leastLimit?(body: Body, model: string, settings: DialectSettings): number;

  // Responses.
  /** What its vendor's packages have in responses and no other format's callers hear of. Missing: the format has no types to compare with. */
  readonly unmappedFields?: UnmappedFields;
  /** Null: not a response of this format. Numbers of a usage that cannot be true are a part of their own. */
  /** @param model the one that was asked, where a response need not name the one that answers */
  readWhole(body: Body, provider: ProviderTraits | null, model?: string): readonly ResponsePart[] | null;
  createStreamReader(provider: ProviderTraits | null, model?: string): StreamReader;
  /** For providers that only stream. Missing: none of this format does. */
  readonly gathering?: Gathering;
  /** Of a call that its provider answers later. Missing: all are answered at once. */
  createAwaiting?(call: AwaitedCall): Awaiting;
  /** Writes streams of this format: for a whole response where a stream was asked for. */
  createStreamWriter(options: ResponseWriterOptions): StreamWriter;
  /** Whether this is an event of a stream of this format. */
  isEvent(event: FramedEvent): boolean;
  /** The error in a body of status 200 or in one event's data; null when there is none. */
  readError(text: string, provider: ProviderTraits | null): ErrorInResponse | null;
  /** Tokens of a prompt that the provider has counted; undefined: it has not. Missing: providers of this format cannot. */
  /** What counts the prompt of a request in this format. Missing: only requests of callers of the format can be counted, or none. */
  countBody?(body: Body, route: Pick<Route, 'upstreamModel' | 'provider'>): Record<string, unknown>;
  readTokenCount?(body: Body): number | undefined;
  /** The same before changes of the prompt that were asked for. Missing: it is not told. */
  readOriginalTokenCount?(body: Body): number | undefined;
}
