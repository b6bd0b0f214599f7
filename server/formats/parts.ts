// Neutral parts of a chat request and its response. A client dialect reads requests into these types and writes responses from them; an
// upstream dialect does the reverse. JSON field names of formats do not belong here.

import type { ExtraField, ClientFields } from './request-fields.ts';
import type { Seal } from './seal.ts';
import type { HostedCalls, HostedKind } from '#shared/hosted-tools.ts';
import type { AdviceUsage, TokenUsage } from '#shared/token-usage.ts';

/** Cache breakpoint after a part: lifetime for which the provider should cache the prompt up to here. */
export type CacheHint = '5m' | '1h';

export interface TextPart {
  type: 'text';
  text: string;
  cache?: CacheHint;
}

/** Location of an image's or file's bytes. `data` is base64. */
export type MediaSource = { kind: 'base64'; mediaType: string; data: string } | { kind: 'url'; url: string } | { kind: 'id'; id: string };

export interface ImagePart {
  type: 'image';
  source: MediaSource;
  detail?: string;
  cache?: CacheHint;
}

export interface AudioPart {
  type: 'audio';
  data: string;
  format: string;
}

export interface FilePart {
  type: 'file';
  source: MediaSource | { kind: 'text'; text: string };
  name?: string;
  cache?: CacheHint;
}

/** A model's thinking. The seal lets its provider verify the text in later requests. */
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  seal?: Seal;
}

/** Encrypted thinking, which belongs to the part before it or stands alone. */
export interface SealedPart {
  type: 'sealed';
  seal: Seal;
}

export interface ToolCallPart {
  type: 'tool_call';
  id: string;
  name: string;
  /** JSON text as the model wrote it. */
  arguments: string;
  /** Parsed arguments, if they are long and the caller sent an object. */
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

/** A hosted tool call. Returned unchanged to its origin; other formats receive what they support of its kind. */
export interface HostedCallPart {
  type: 'hosted_call';
  id: string;
  kind: HostedKind;
  /** Name of the format of `object`. */
  origin: string;
  object: VendorObject;
  /** Input without vendor-specific fields: `{"query": …}`, `{"code": …}`. */
  input: VendorObject;
}

/** Result of a hosted tool. */
export interface HostedResultPart {
  type: 'hosted_result';
  callId: string;
  kind: HostedKind;
  origin: string;
  object: VendorObject;
  /** Pages that a search found. */
  sources: readonly WebSource[];
  /** Output of code. */
  output?: string;
  isError: boolean;
}

export interface WebSource {
  url: string;
  title?: string;
}

/** Page in a search result, with dates in the vendor's notation. */
export interface FoundPage extends WebSource {
  snippet?: string;
  date?: string;
  last_updated?: string;
  source?: string;
}

export type UserPart = TextPart | ImagePart | AudioPart | FilePart | ToolResultPart;
export type AssistantPart = TextPart | ReasoningPart | SealedPart | ToolCallPart | RefusalPart | HostedCallPart | HostedResultPart;

/** `field` is the path of the content in the client's body, for errors: `messages.2.content`. */
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
  /** The tool is called with free text; the rest is for formats with JSON arguments only. If undefined, the tool takes JSON. */
  freeText?: { description?: string; grammar?: Grammar };
  cache?: CacheHint;
}

/** Grammar of a text; `syntax`: `lark` or `regex`. */
export interface Grammar {
  syntax: string;
  definition: string;
}

export interface HostedTool {
  type: 'hosted_tool';
  kind: HostedKind;
  /** Name of the format of `object`. */
  origin: string;
  object: VendorObject;
  options: HostedOptions;
  /** Path in the client's body: `tools.0`. */
  field: string;
  /** Whether the response would be wrong without the tool. */
  isNeeded?: boolean;
}

/** Tool options that several vendors support. */
export interface HostedOptions {
  /** Maximum runs. */
  mostCalls?: number;
  allowedDomains?: readonly string[];
  blockedDomains?: readonly string[];
  /** Approximate location of the user: `city`, `region`, `country`, `timezone`. */
  location?: Readonly<Record<string, string>>;
  /** Search context for the model: `low`, `medium` or `high`. */
  contextSize?: string;
  /** Search of named vector stores: `vector_store_ids`, `max_num_results`, `ranking_options`, `filters`. */
  fileSearch?: Readonly<Record<string, unknown>>;
}

/** `hosted`: a hosted tool must be used. */
export type ToolChoice =
  /** `allowed`: tools that may be called. If undefined, all of them. */
  | { kind: 'auto' | 'none' | 'required'; allowed?: readonly string[] }
  | { kind: 'tool'; name: string }
  | { kind: 'hosted'; hosted: HostedKind; field: string };

export type ResponseFormat =
  | { kind: 'json' }
  | { kind: 'schema'; schema: Readonly<Record<string, unknown>>; name?: string; description?: string; isStrict?: boolean };

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Requested thinking. `budgetTokens`: maximum tokens; `effort`: a level that the model interprets. */
export interface ReasoningWish {
  isOn: boolean;
  effort?: ReasoningEffort;
  budgetTokens?: number;
  /** Name of the field that requests visible thinking. If undefined, thinking is returned if the provider sends it. */
  shownBy?: string;
}

/** A chat request. Fields that the client omitted are undefined. */
export interface ChatRequest {
  model: string;
  messages: Message[];
  tools: Tool[];
  /** Hosted tools. If undefined, none. */
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
  /** Identifies the end user to the provider. */
  userId?: string;
  isStream: boolean;
  /** Names of the fields in the client's format, for reports of losses. */
  clientFields: ClientFields;
  /** Fields of the client's body that this type cannot hold. */
  extras: readonly ExtraField[];
}

export type FinishReason = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'content_filter' | 'pause';

/** Parts of a response in order, the same for complete responses and streams. */
export type ResponsePart =
  | { type: 'start'; id: string; model: string; createdAt?: number }
  | { type: 'text'; text: string; choice?: number }
  | { type: 'reasoning'; text: string; choice?: number }
  /** Ends the reasoning before it. */
  | { type: 'reasoning_seal'; seal: Seal }
  /** Encrypted thinking, which belongs to the part before it or stands alone. */
  | { type: 'sealed'; seal: Seal }
  | { type: 'refusal'; text: string; choice?: number }
  /** Begins a call; `index` counts the calls of the choice from 0. */
  | { type: 'tool_call'; index: number; id: string; name: string; seal?: Seal; choice?: number }
  | { type: 'tool_arguments'; index: number; text: string; choice?: number }
  /** Log probabilities of the text or refusal that follows. */
  | { type: 'logprobs'; tokens: readonly TokenLogprob[]; choice?: number }
  | { type: 'image'; mediaType: string; data: string; choice?: number }
  /** `start` and `end`: character range in the choice's text, which precedes the citation. `text`: quote of the source. */
  | { type: 'citation'; url: string; title?: string; text?: string; start?: number; end?: number; choice?: number }
  /** Citation of a document in the request; `object`: the vendor's object. */
  | DocumentCitation
  | (HostedCallPart & { choice?: number })
  | (HostedResultPart & { choice?: number })
  /** All pages that hosted searches have found so far, in the order that the response numbers them. Later ones replace earlier ones. */
  | { type: 'found_pages'; pages: readonly FoundPage[] }
  /** Finish reason; a later one of the choice replaces it, later content cancels it. `unknown`: reason that is in no table. */
  | { type: 'finish'; reason: FinishReason; stopSequence?: string; choice?: number; unknown?: string }
  /** Usage so far; later reports replace earlier ones class by class. */
  | { type: 'usage'; usage: Partial<TokenUsage> }
  /** Tokens of summaries within the call, not part of `usage`. Later ones replace earlier ones. */
  | { type: 'summary_usage'; usage: TokenUsage }
  /** Tokens of advice by model, not part of `usage`. */
  | { type: 'advice_usage'; advice: readonly AdviceUsage[] }
  /** Runs of hosted tools so far. Later ones replace earlier ones kind by kind. */
  | { type: 'hosted_usage'; calls: HostedCalls }
  /** Main counts of a usage that are not plausible. */
  | { type: 'invalid_usage'; counts: readonly MainCount[] }
  | { type: 'error'; error: UpstreamErrorObject };

/** A token, written or alternative, with its probability. */
export interface LikelyToken {
  token: string;
  /** Natural logarithm of its probability. */
  logprob: number;
  /** UTF-8 bytes. If null, they were not reported. */
  bytes: readonly number[] | null;
}

/** A written token with its alternatives. */
export interface TokenLogprob extends LikelyToken {
  top: readonly LikelyToken[];
}

export interface DocumentCitation {
  type: 'document_citation';
  /** Index of the document in the request, from 0. */
  document: number;
  title?: string;
  text?: string;
  start?: number;
  end?: number;
  origin: string;
  object: VendorObject;
}

/** Classes that every usage must report. */
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

/** Reports whether a part is content of the response, not metadata. */
export function isContent(part: ResponsePart): boolean {
  return !silentParts.has(part.type);
}

/** Returns the model's text in this part, for counting output tokens. */
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

/** An error as an upstream reported it. */
export interface UpstreamErrorObject {
  message: string;
  type: string;
  param?: string;
  code?: string | number | null;
  /** Equivalent HTTP status, if the format states one. */
  status?: number;
  /** Seconds until a retry, if a field states them. */
  retryAfter?: number;
  /** Usage that the provider reports with the error and bills. If undefined, the error is free. */
  usage?: TokenUsage;
}
