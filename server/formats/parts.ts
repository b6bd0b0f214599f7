// What a chat call and its response consist of, in no provider's format. A client dialect reads requests into these types
// and writes responses from them; an upstream dialect does the reverse. Nothing here knows JSON field names.

import type { ExtraField, SaidFields } from './request-fields.ts';
import type { Seal } from './seal.ts';
import type { HostedCalls, HostedKind } from '#shared/hosted-tools.ts';
import type { AdviceUsage, TokenUsage } from '#shared/token-usage.ts';

/** A cache breakpoint behind a part: how long the provider should keep the prompt up to here. */
export type CacheHint = '5m' | '1h';

export interface TextPart {
  type: 'text';
  text: string;
  cache?: CacheHint;
}

/** Where the bytes of an image or a file come from. `data` is base64. */
export type MediaSource = { kind: 'base64'; mediaType: string; data: string } | { kind: 'url'; url: string } | { kind: 'id'; id: string };

export interface ImagePart {
  type: 'image';
  source: MediaSource;
  detail?: string;
  cache?: CacheHint;
}

export interface AudioPart {
  type: 'audio';
  /** Base64. */
  data: string;
  /** `wav`, `mp3` … */
  format: string;
}

export interface FilePart {
  type: 'file';
  source: MediaSource | { kind: 'text'; text: string };
  name?: string;
  cache?: CacheHint;
}

/** What a model thought. The seal lets its provider verify the text when it is sent back. */
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  seal?: Seal;
}

/** Thoughts that only their provider can read. It belongs to what stands before it, or is alone. */
export interface SealedPart {
  type: 'sealed';
  seal: Seal;
}

export interface ToolCallPart {
  type: 'tool_call';
  id: string;
  name: string;
  /** JSON text, as the model wrote it. */
  arguments: string;
  /** The same where it is long and its caller has an object: nobody has to parse it. */
  object?: Readonly<Record<string, unknown>>;
  seal?: Seal;
  cache?: CacheHint;
}

export interface ToolResultPart {
  type: 'tool_result';
  callId: string;
  content: (TextPart | ImagePart | FilePart)[];
  isError: boolean;
  cache?: CacheHint;
}

export interface RefusalPart {
  type: 'refusal';
  text: string;
}

type VendorObject = Readonly<Record<string, unknown>>;

/** A tool that ran at the provider. Goes back as it came to where it came from; elsewhere as far as its kind is known there. */
export interface HostedCallPart {
  type: 'hosted_call';
  id: string;
  kind: HostedKind;
  /** The format whose object it is. */
  origin: string;
  object: VendorObject;
  /** What it was asked, without what only the vendor knows: `{"query": …}`, `{"code": …}`. */
  input: VendorObject;
}

/** What a tool that ran at the provider has answered. */
export interface HostedResultPart {
  type: 'hosted_result';
  callId: string;
  kind: HostedKind;
  origin: string;
  object: VendorObject;
  /** Pages that a search has found. */
  sources: readonly WebSource[];
  /** What code has printed. */
  output?: string;
  isError: boolean;
}

export interface WebSource {
  url: string;
  title?: string;
}

/** A page as a search tells of it. Dates as the vendor writes them. */
export interface FoundPage extends WebSource {
  snippet?: string;
  date?: string;
  last_updated?: string;
  /** `web` … */
  source?: string;
}

export type UserPart = TextPart | ImagePart | AudioPart | FilePart | ToolResultPart;
export type AssistantPart = TextPart | ReasoningPart | SealedPart | ToolCallPart | RefusalPart | HostedCallPart | HostedResultPart;

/** `field` is where its content stands in the client's body, for errors: `messages.2.content`. */
export type Message =
  | { role: 'system'; content: TextPart[]; field: string }
  | { role: 'user'; content: UserPart[]; field: string; name?: string }
  | { role: 'assistant'; content: AssistantPart[]; field: string; name?: string };

export interface Tool {
  name: string;
  description?: string;
  /** JSON Schema of the arguments. */
  parameters: Readonly<Record<string, unknown>>;
  isStrict?: boolean;
  /** It is called with a free text; what else is said of it is for formats that know only JSON. Missing: it is called with JSON. */
  freeText?: { description?: string; grammar?: Grammar };
  cache?: CacheHint;
}

/** What a text has to look like; `syntax`: `lark` or `regex`. */
export interface Grammar {
  syntax: string;
  definition: string;
}

/** A tool that runs at the provider. */
export interface HostedTool {
  type: 'hosted_tool';
  kind: HostedKind;
  /** The format whose object it is. */
  origin: string;
  object: VendorObject;
  options: HostedOptions;
  /** Its place in the client's body: `tools.0`. */
  field: string;
  /** The response would be a wrong one without it. */
  isNeeded?: boolean;
}

/** What several vendors mean by the options of such a tool. */
export interface HostedOptions {
  /** How often it may run. */
  mostCalls?: number;
  allowedDomains?: readonly string[];
  blockedDomains?: readonly string[];
  /** Roughly where the user is: `city`, `region`, `country`, `timezone`. */
  location?: Readonly<Record<string, string>>;
  /** `low`, `medium`, `high`: how much of what is found the model gets to read. */
  contextSize?: string;
}

/** `hosted`: a tool that runs at the provider has to be used. */
export type ToolChoice =
  /** `allowed`: the tools that may be called; missing: all of them. */
  | { kind: 'auto' | 'none' | 'required'; allowed?: readonly string[] }
  | { kind: 'tool'; name: string }
  | { kind: 'hosted'; hosted: HostedKind; field: string };

export type ResponseFormat =
  | { kind: 'json' }
  | { kind: 'schema'; schema: Readonly<Record<string, unknown>>; name?: string; description?: string; isStrict?: boolean };

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** How much the model shall think. `budgetTokens`: at most so many tokens; `effort`: as it sees fit at that level. */
export interface ReasoningWish {
  isOn: boolean;
  effort?: ReasoningEffort;
  budgetTokens?: number;
  /** The field by which its caller asks to see the thoughts. Missing: they are told where they come by themselves. */
  shownBy?: string;
}

/** A chat request. What the client left out is undefined. */
export interface ChatRequest {
  model: string;
  messages: Message[];
  tools: Tool[];
  /** Those that run at the provider; missing: none. */
  hostedTools?: readonly HostedTool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  responseFormat?: ResponseFormat;
  reasoning?: ReasoningWish;
  /** Names the end user to the provider. */
  userId?: string;
  isStream: boolean;
  /** How the client's format says things, for the names of what is lost. */
  saidFields: SaidFields;
  /** Fields of the client's body that have no place in this type. */
  extras: readonly ExtraField[];
}

export type FinishReason = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter' | 'pause';

/** Pieces of a response in order: a whole one and a stream consist of the same. */
export type ResponsePart =
  | { type: 'start'; id: string; model: string; createdAt?: number }
  | { type: 'text'; text: string; choice?: number }
  | { type: 'reasoning'; text: string; choice?: number }
  /** Belongs to the reasoning before it and ends it. */
  | { type: 'reasoning_seal'; seal: Seal }
  /** Belongs to what stands before it, or is alone. */
  | { type: 'sealed'; seal: Seal }
  | { type: 'refusal'; text: string; choice?: number }
  /** Begins a call; `index` counts the calls of the choice from 0. */
  | { type: 'tool_call'; index: number; id: string; name: string; seal?: Seal; choice?: number }
  | { type: 'tool_arguments'; index: number; text: string; choice?: number }
  /** Of the text or refusal that follows. */
  | { type: 'logprobs'; tokens: readonly TokenLogprob[]; choice?: number }
  | { type: 'image'; mediaType: string; data: string; choice?: number }
  /** `start` and `end`: characters of the choice's text that it is about; it comes behind them. `text`: what the source says. */
  | { type: 'citation'; url: string; title?: string; text?: string; start?: number; end?: number; choice?: number }
  /** The same of a document that came with the request; `object`: the vendor's own. */
  | DocumentCitation
  | (HostedCallPart & { choice?: number })
  | (HostedResultPart & { choice?: number })
  /** All pages that the provider's searches have found so far, in the order in which its answer counts them. Later ones replace earlier ones. */
  | { type: 'found_pages'; pages: readonly FoundPage[] }
  /** A later one of a choice replaces it, and so does content. `unknown`: the word of its provider, where no table has it. */
  | { type: 'finish'; reason: FinishReason; stopSequence?: string; choice?: number; unknown?: string }
  /** Later ones replace earlier ones class by class. */
  | { type: 'usage'; usage: Partial<TokenUsage> }
  /** Tokens of summaries that the provider has had written within the call, which `usage` does not hold. Later ones replace earlier ones. */
  | { type: 'summary_usage'; usage: TokenUsage }
  /** The same of advice, by the model that has given it. */
  | { type: 'advice_usage'; advice: readonly AdviceUsage[] }
  /** How often tools have run at the provider so far. Later ones replace earlier ones kind by kind. */
  | { type: 'hosted_usage'; calls: HostedCalls }
  /** Main numbers of a usage that cannot be true. */
  | { type: 'invalid_usage'; counts: readonly MainCount[] }
  | { type: 'error'; error: UpstreamErrorObject };

/** A token that the model wrote or might have written, and how likely it was. */
export interface LikelyToken {
  token: string;
  /** Natural logarithm of its probability. */
  logprob: number;
  /** Of its text in UTF-8; null: not told. */
  bytes: readonly number[] | null;
}

/** A token as the model wrote it, with others that might stand in its place. */
export interface TokenLogprob extends LikelyToken {
  top: readonly LikelyToken[];
}

export interface DocumentCitation {
  type: 'document_citation';
  /** Which of the request's documents, from 0. */
  document: number;
  title?: string;
  text?: string;
  start?: number;
  end?: number;
  origin: string;
  object: VendorObject;
}

/** The classes that every usage has to tell. */
export type MainCount = 'input' | 'output';

const silentParts: ReadonlySet<ResponsePart['type']> = new Set<ResponsePart['type']>([
  'start',
  'finish',
  'usage',
  'summary_usage',
  'advice_usage',
  'invalid_usage',
  'error',
]);

/** Whether a part is some of the response, and does not only speak of it. */
export function isContent(part: ResponsePart): boolean {
  return !silentParts.has(part.type);
}

/** What the model itself wrote in this part: what output tokens are counted of. */
export function textOfPart(part: ResponsePart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
    case 'tool_arguments':
      return part.text;
    case 'tool_call':
      return part.name;
    case 'hosted_call':
      return typeof part.input['code'] === 'string' ? part.input['code'] : '';
    default:
      return '';
  }
}

/** An error as an upstream told it. */
export interface UpstreamErrorObject {
  message: string;
  type: string;
  param?: string;
  code?: string | number | null;
  /** HTTP status that it stands for, where its format says so. */
  status?: number;
  /** Seconds until it wants to be asked again, where a field says so. */
  retryAfter?: number;
  /** Usage that its provider reports with it, and bills. If undefined, the error is free. */
  usage?: TokenUsage;
}
