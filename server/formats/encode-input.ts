// Input and result of encoding a call for a provider.
import type { HostedCalls, HostedVariants } from '#shared/hosted-tools.ts';
import type { PiecedBody } from '#server/framing/byte-source.ts';
import type { LongTexts } from '#server/framing/long-json.ts';
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { CallerFiles, ProviderObject } from './provider-objects.ts';
import type { ClientDialect } from './client-dialect.ts';
import type { AwaitedCall, Awaiting } from './awaiting.ts';
import type { LeftFile } from './left-files.ts';
import type { LinkedContents } from './linked-contents.ts';
import type { SeenNames } from './seen-names.ts';
import type { SignatureMemory } from './signature-memory.ts';
import type { Route } from './route.ts';
import type { DialectSettings, DoubtfulField } from './upstream-dialect.ts';

export interface CallInput {
  client: ClientDialect;
  /** Whether the call only counts prompt tokens. */
  isCount?: boolean;
  route: Route;
  /** Client headers forwarded to providers of the same format. */
  clientHeaders: Readonly<Record<string, string>>;
  /** `rawText`, parsed. It must not be changed. */
  body: Readonly<Record<string, unknown>>;
  rawText: string;
  /** Names that `body` may have. If undefined, the body was not scanned. */
  seen?: SeenNames | undefined;
  /** Long texts, which are marks in `rawText` and in the output of `writeJson`. If undefined, texts are inline. */
  longTexts?: LongTexts | undefined;
  originModel: string;
  isStream: boolean;
  /** Requests the usage of a stream even if the client did not. */
  forceUsage: boolean;
  settings: DialectSettings;
  /** Forwards the client's text unchanged: no mapping, no override, only `outputBound` is added. */
  isPassThrough?: boolean;
  /** Creates the part budget of one encoding, for JSON in texts. If undefined, a full one. */
  budget?(): PartBudget;
  /** Id for a response that the gateway writes. If undefined, it writes none. */
  requestId?: string;
  /** Caller's provider object that the request continues. If undefined, none. */
  providerObject?: ProviderObject;
  /** The caller's files, by the provider's ids. */
  callerFiles?: CallerFiles;
  /** Path of the first tool that searches the caller's vector stores. If undefined, none. */
  searchingTool?: string | undefined;
  /** Signatures of this caller. If undefined, only those in the request are known. */
  signatures?: SignatureMemory | undefined;
  /** Returns an opaque key of the conversation; undefined if it is unknown. */
  conversationKey?(): string | undefined;
  /** Hosted tools that may run and are billed, with the maximum runs; others are dropped. */
  hosted?: HostedCalls | undefined;
  /** Optional fields (`doubtful`) that the provider rejected before. If undefined, none. */
  withoutFields?: ReadonlySet<string>;
  /** Maximum tokens of a choice that the account can pay for. */
  outputBound?: number | undefined;
  /** Reserved tokens of a choice, above which no edit may raise a limit. */
  choiceLimit?: number | undefined;
}

/** A call with `outputBound` applied to `body` and `rawText`. */
export interface EncodeInput extends CallInput {
  /** Body as the client sent it. */
  clientBody: Readonly<Record<string, unknown>>;
}

export interface EncodedRequest {
  body: Buffer | PiecedBody;
  /** Headers in addition to the channel's; null for none. */
  headers: Readonly<Record<string, string>> | null;
  upstreamModel: string;
  /** Effort sent upstream, for the log. */
  reasoningEffort: string | undefined;
  /** Maximum output tokens for one prompt, all choices together. */
  sentLimit: number | undefined;
  /** Runs of hosted tools that are billed even if the response reports none. */
  hostedLeast?: HostedCalls | undefined;
  /** Variants of hosted tools with several prices. */
  hostedVariants?: HostedVariants | undefined;
  /** Runs that are billed if the response breaks off before it can report them. */
  hostedIfCut?: HostedCalls | undefined;
  /** Requested service tier. */
  requestedTier?: string | undefined;
  /** Whether cache writes have a lifetime of an hour or more, which the response does not report. */
  writesLong?: boolean | undefined;
  /** Names of client fields that the provider's format does not support. */
  dropped: readonly string[];
  /** Whether the call uses the provider's batch path. */
  isBatch?: boolean;
  /** Whether the body is the client's, to which the channel's override must not be applied either. */
  isAsRequested?: true;
  /** Whether the provider returns a complete response even if the caller requests a stream. */
  isWhole?: true;
  /** Content type of the stream, if it may differ from the requested one. */
  streamType?: string | undefined;
  /** Polling of this call. If undefined, the format's default. */
  createAwaiting?: ((call: AwaitedCall) => Awaiting) | undefined;
  /** Files to upload before the call. If undefined, none. */
  files?: readonly LeftFile[] | undefined;
  /** Optional fields that some servers reject; on an error naming one, the call is retried without it. If undefined, none. */
  doubtful?: readonly DoubtfulField[] | undefined;
  /** Finds URLs in the response whose content is inlined. If undefined, none is. */
  contents?: LinkedContents | undefined;
}
