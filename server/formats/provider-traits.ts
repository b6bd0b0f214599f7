// How one provider differs from others that speak its format: data, which the provider's record holds and the format applies.
import type { HostedKind } from '#shared/hosted-tools.ts';
import type { Effort } from '#server/model-facts/model-record.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { CallIdRule } from './call-id-rules.ts';
import type { MediaKind } from './media-addresses.ts';

/** A model name's ending that stands for request fields: it is cut off and the fields are set where the client sent none. */
export interface ModelSuffix {
  suffix: string;
  /** It stands for this effort: the ending of a name whose model takes it, and a part of the name of any other. Missing: it always is an ending. */
  ofTakers?: Effort;
  set: Readonly<Record<string, unknown>>;
}

/** Rules for models by their facts or, where a host has names of its own, by how the name begins that is sent upstream. */
export interface ModelRule {
  prefixes?: readonly string[];
  isFor?: (facts: ModelFacts) => boolean;
  /** Fields renamed unless the target is there already. */
  rename?: Readonly<Record<string, string>>;
  drop?: readonly string[];
  /** Fields of sampling, which go where the model takes them. */
  sampling?: readonly string[];
  /** The effort that a request names becomes the nearest that the model takes. */
  fitsEffort?: true;
  /** How long a prompt is to be kept is said where the model takes that. */
  fitsRetention?: true;
  suffixes?: readonly ModelSuffix[];
  /** Endings by which a name says how much the model shall think, where a setting lets them: `-thinking-1024`. */
  hasThinkingEndings?: true;
  /** A first message of role `system` is sent as `developer`. */
  developerRole?: (facts: ModelFacts) => boolean;
  /** Thinks for long before the first token: the idle timeout is doubled. */
  longIdle?: boolean;
}

/** Differences in how a request must look. Everything not named here goes upstream exactly as the client sent it. */
export interface RequestQuirks {
  /**
   * `stream_options` on streams. `ask`: known there, so `include_usage` is added; `pass`: sent as the client sent it,
   * because what answers behind such an address is not known; missing: not known there, removed.
   */
  streamOptions?: 'ask' | 'pass';
  modelRules?: readonly ModelRule[];
  /** Fields that the provider refuses with an error or misreads. Not a whitelist: unknown fields survive. */
  drop?: readonly string[];
  dropFromMessages?: readonly string[];
  rename?: Readonly<Record<string, string>>;
  /** Values of a field replaced by others, by exact text. */
  replace?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Bounds of numbers; only what the client sent is changed. */
  clamp?: Readonly<Record<string, { below?: { at: number; to: number }; above?: { at: number; to: number } }>>;
  /** Fields that a request with tools has, unless its client says otherwise. */
  withTools?: Readonly<Record<string, unknown>>;
  /** A single `stop` text is sent as a list of one. */
  stopAsList?: boolean;
  /** It is asked as ChatGPT's own program asks for an account: no other field is taken. */
  ofAccount?: boolean;
  /** `image_url` parts: `text` — the URL alone instead of an object; `bare` — data URLs without their `data:…;base64,`. */
  images?: 'text' | 'bare';
}

/** Differences in how a response looks. Any of them makes its stream events be parsed. */
export interface ResponseQuirks {
  /** `completion_tokens` leaves the reasoning out: it is `total_tokens − prompt_tokens`. */
  completionFromTotal?: boolean;
  /** The response's `model` is not the requested one and is replaced by it. */
  tunedModel?: boolean;
}

/** Errors that arrive in a body of status 200. Source: `base_resp` of MiniMax and the like. */
export interface BodyError {
  /** A text that every such body contains, so that other bodies need no parsing. */
  marker: string;
  /** Field paths (`base_resp.status_code`). */
  code: string;
  message: string;
  /** The code that means success. */
  ok: number | string;
  /** HTTP status by code, or by how a code begins (`Throttling*`); others are 500. */
  statuses: Readonly<Record<string, number>>;
}

/** How a body of a format differs at somebody who hosts it. */
export interface EventEncoding {
  /** Fields that the address says, or that are not known there. The model's name stays where a prompt is only counted. */
  omit: readonly string[];
  set: Readonly<Record<string, unknown>>;
  /** The model is called as its deployment is. */
  namesDeployment?: true;
  /** Headers that are a list in a field of the body there. */
  listed?: Readonly<Record<string, ListedHeader>>;
}

export interface ListedHeader {
  field: string;
  /** The items that are known there; a call with any other is refused. */
  known: RegExp;
}

/** Marks of a prompt for the provider's cache (`cache_control`), where chat completions take them. */
export interface CacheMarks {
  /** Models that know them. */
  models: RegExp;
  /** Where the result of a tool has its mark: at its text, or at its message. */
  results: 'text' | 'message';
  /** Tools have them, too. */
  onTools?: true;
  /** They may last for an hour. */
  forAnHour?: true;
}

/** How a provider takes back what its models have thought in earlier turns. */
export interface ThoughtsRule {
  /** Fields of an assistant's message; all of them are written. */
  fields: readonly ('reasoning_content' | 'reasoning' | 'reasoning_details')[];
  /** Of which models. Missing: of all. */
  models?: RegExp;
  /** What stands in the first field where a turn has no thoughts, by model: the first rule counts. Other models take turns without. */
  placeholders?: readonly { models: RegExp; text: string }[];
  /** Thoughts that a vendor has signed or encrypted go back too: it hosts that vendor's models. */
  takesSeals?: true;
  /** Some who speak the format do not know the fields: refused for one, a request is sent again without. */
  isDoubtful?: true;
  /** Only behind an address of somebody else. */
  isAwayOnly?: true;
}

/** How a provider's chat completions are told whether to think, and how much, beside OpenAI's `reasoning_effort`. */
export interface ThinkingWords {
  /** Switch for models that need not think: an object with a type, or a flag. Missing: an effort says it. */
  toggle?: { field: 'thinking'; on: 'enabled' | 'adaptive' } | { field: 'enable_thinking' };
  /** Takes a number of tokens for models that know one. */
  budget?: 'thinking_budget';
  /** Efforts that the provider itself fits to each of its models that thinks. Missing: each model takes its own. */
  efforts?: readonly Effort[];
}

export interface ProviderTraits {
  name: string;
  /** Missing: efforts alone say how much to think. */
  thinking?: ThinkingWords;
  /** Missing: it takes no thoughts back. */
  thoughts?: ThoughtsRule;
  /** Ids of tool calls that it takes back. Missing: those of the format's vendor. */
  callIds?: CallIdRule;
  /** It answers by streams alone: a whole response is gathered out of one. */
  streamsOnly?: boolean;
  /** It cannot be told a limit of tokens, although its format has a place for one. */
  takesNoLimit?: boolean;
  quirks?: RequestQuirks;
  responses?: ResponseQuirks;
  errors?: BodyError;
  /** Fields that ask for paid extras, or for other models than the one that is billed. */
  paidExtras?: readonly string[];
  /** The version of the format that its record's headers name. */
  apiVersion?: string;
  /** It knows every version that callers may name: theirs goes there. Otherwise it gets the record's. */
  takesCallersVersion?: boolean;
  /** Tools that it runs itself, for callers of other formats. */
  hosted?: readonly HostedKind[];
  /** Those that run in each of its calls, asked for or not; missing: none. */
  runsAlways?: readonly HostedKind[];
  /** Of what requests name by addresses, the kinds that it looks up itself; missing: as the format has it. */
  takesAddresses?: readonly MediaKind[];
  /** In which of the known ways embeddings are asked for, where it is not that of the format. */
  embeddings?: string;
  /** The same of reranking. */
  rerank?: string;
  /** The same of pictures. */
  images?: string;
  /** `events`: it tells speech of models that bill tokens in events, and in them what it took. Others: in which of the known ways speech is asked for. */
  speech?: string;
  /** What it takes of forms that ask for a sound to be written down. */
  transcripts?: string;
  /** It bills rerankings by the search, of which a call may be several. */
  billsSearches?: boolean;
  /** It finds the cache of a conversation by `prompt_cache_key`. Behind addresses of others a strict server may refuse that. */
  takesCacheKey?: boolean;
  /** It takes thoughts of earlier turns encrypted alone. Behind addresses of others that goes by the model. */
  takesSealedThoughts?: boolean;
  /** Marks for its cache in chat completions; missing: it takes none. */
  cacheMarks?: CacheMarks;
  /** A choice of tools may name those that may be called, where its format has that from its vendor. Behind addresses of others as above. */
  takesAllowedTools?: boolean;
  /** A count may be asked of a whole request (`generateContentRequest`), and of contents alone otherwise. */
  countsRequests?: boolean;
  /** It hosts the format of another vendor: what its bodies have otherwise. */
  envelope?: EventEncoding;
  /** Its models are not those of the vendor whose format it speaks: what that vendor's client tells of itself is left out. */
  attribution?: 'drop';
}
