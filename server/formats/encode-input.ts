// A call on its way to a provider, and what goes there.
import type { HostedCalls, HostedVariants } from '#shared/hosted-tools.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import type { LongTexts } from '#server/framing/long-json.ts';
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { CallerFiles, ProviderObject } from './provider-objects.ts';
import type { ClientDialect } from './client-dialect.ts';
import type { AwaitedCall, Awaiting } from './awaiting.ts';
import type { LeftFile } from './left-files.ts';
import type { LinkedContents } from './linked-contents.ts';
import type { SignatureMemory } from './signature-memory.ts';
import type { Route } from './route.ts';
import type { DialectSettings, DoubtfulField } from './upstream-dialect.ts';

export interface CallInput {
  client: ClientDialect;
  /** Its prompt is only to be counted. */
  isCount?: boolean;
  route: Route;
  /** Headers of the client that are for a provider of the same format. */
  clientHeaders: Readonly<Record<string, string>>;
  /** `rawText`, parsed. Never changed. */
  body: Readonly<Record<string, unknown>>;
  rawText: string;
  /** Stand in `rawText` by their marks, and in whatever else `writeJson` writes of a large body. Missing: texts stand where they are. */
  longTexts?: LongTexts | undefined;
  /** The model that the client asked for. */
  originModel: string;
  isStream: boolean;
  /** Ask for usage on streams also when the client did not. */
  forceUsage: boolean;
  settings: DialectSettings;
  /** The client's text goes on as it is: no mapping, no override, nothing added but `outputBound`. */
  isPassThrough?: boolean;
  /** Budget of parts that texts of JSON in the body are taken from; a new one for each time that it is encoded. Missing: a whole one. */
  budget?(): PartBudget;
  /** The id of a response that is written here; missing: none is. */
  requestId?: string;
  /** What the request goes on with in the provider's account; missing: nothing that is its caller's. */
  providerObject?: ProviderObject;
  /** Files that are its caller's, by the names that the provider has for them. */
  callerFiles?: CallerFiles;
  /** The first tool that searches in vector stores of its caller's, as a path. Missing: none does. */
  searchingTool?: string | undefined;
  /** Of its caller; missing: only what stands in the request is known. */
  signatures?: SignatureMemory | undefined;
  /** A name of the conversation that says nothing of it or of its user; missing: it is not known. */
  conversationKey?(): string;
  /** Tools that run at the provider and are paid for, and how often each of them is; the others are left out. */
  hosted?: HostedCalls;
  /** Fields that the provider does not know, which are left out where their caller loses nothing by it. Missing: none. */
  withoutFields?: ReadonlySet<string>;
  /** Tokens of each choice that the caller's account pays for: no limit may be larger. */
  outputBound?: number;
  /** Tokens of each choice that were reserved for: no edit raises a limit beyond. */
  choiceLimit?: number;
}

/** The same with `outputBound` within `body` and `rawText`. */
export interface EncodeInput extends CallInput {
  /** As the client wrote it. */
  clientBody: Readonly<Record<string, unknown>>;
}

export interface EncodedRequest {
  body: Buffer | PiecedBody;
  /** Headers beside the channel's own; null: none. */
  headers: Readonly<Record<string, string>> | null;
  upstreamModel: string;
  /** What went upstream, for the log. */
  reasoningEffort: string | undefined;
  /** Tokens that it limits the response to each of its prompts to, all choices that it asks for together. */
  sentLimit: number | undefined;
  /** Runs of the provider's tools that are billed whatever the response tells of them. */
  hostedLeast?: HostedCalls | undefined;
  /** How it asks for those that have several prices. */
  hostedVariants?: HostedVariants | undefined;
  /** The same as `hostedLeast`, where the end of the response, which would tell of them, never comes. */
  hostedIfCut?: HostedCalls | undefined;
  /** The lane that it asks for. */
  requestedTier?: string | undefined;
  /** The provider is to store what is written to its cache for an hour or longer, which its response does not report. */
  writesLong?: boolean | undefined;
  /** Names of the client's fields that the provider's format has no place for. */
  dropped: readonly string[];
  /** It goes to the path of several requests in one. */
  isBatch?: boolean;
  /** The client's own words, which no override has changed. */
  isAsRequested?: true;
  /** The provider answers it whole, whatever the caller asks for. */
  isWhole?: true;
  /** Content type of what streams, where it may be another than what was asked for. */
  streamType?: string | undefined;
  /** It is answered later, in a way of its own. Missing: as the format's calls are. */
  createAwaiting?: ((call: AwaitedCall) => Awaiting) | undefined;
  /** Are left at the provider before it. Missing: none. */
  files?: readonly LeftFile[] | undefined;
  /** Fields that some who speak the format do not know: refused for one, it is sent again without. Missing: none. */
  doubtful?: readonly DoubtfulField[] | undefined;
  /** What its caller wants of a response that only names it. Missing: nothing. */
  contents?: LinkedContents | undefined;
}
