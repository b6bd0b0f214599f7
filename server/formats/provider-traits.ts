// Differences between providers of the same format, as data: set in the provider's record and applied by the format.
import type { HostedKind } from '#shared/hosted-tools.ts';
import type { Effort } from '#server/model-facts/model-record.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { Body, BodyEdit } from './body-edit.ts';
import type { CallIdRule } from './call-id-rules.ts';
import type { MediaKind } from './media-addresses.ts';

/** Model name suffix that stands for request fields: it is removed, and the fields are set unless the client sent them. */
export interface ModelSuffix {
  suffix: string;
  /** The suffix is an effort: for models that support it, a suffix; otherwise part of the name. If undefined, it always is a suffix. */
  ofTakers?: Effort;
  set: Readonly<Record<string, unknown>>;
}

/** Rules for models by their facts or, for a host's own names, by a prefix of the upstream name. */
export interface ModelRule {
  prefixes?: readonly string[];
  isFor?: (facts: ModelFacts) => boolean;
  /** Fields renamed unless the target exists. */
  rename?: Readonly<Record<string, string>>;
  drop?: readonly string[];
  /** Sampling fields, sent if the model accepts them. */
  sampling?: readonly string[];
  /** Replaces the effort with the nearest one that the model supports. */
  fitsEffort?: true;
  /** Sends cache retention if the model supports it. */
  fitsRetention?: true;
  suffixes?: readonly ModelSuffix[];
  /** Enables suffixes with thinking budgets, if a setting allows them: `-thinking-1024`. */
  hasThinkingEndings?: true;
  /** Sends a first `system` message as `developer`. */
  developerRole?: (facts: ModelFacts) => boolean;
  /** Thinks long before the first token: the idle timeout is doubled. */
  longIdle?: boolean;
}

/** Changes to a response. Any of them makes its stream events be parsed. */
export interface ResponseQuirks {
  /** `completion_tokens` excludes reasoning: the output is `total_tokens − prompt_tokens`. */
  completionFromTotal?: boolean;
  /** The response's `model` differs from the requested one and is replaced by it. */
  tunedModel?: boolean;
}

/** Errors in a body of status 200, such as MiniMax's `base_resp`. */
export interface BodyError {
  /** Text in every such body, so that other bodies need no parsing. */
  marker: string;
  /** Field paths (`base_resp.status_code`). */
  code: string;
  message: string;
  /** Code of success. */
  ok: number | string;
  /** HTTP status by code or code prefix (`Throttling*`); others are 500. */
  statuses: Readonly<Record<string, number>>;
}

/** Request of a format for a host other than the format's vendor. */
export interface HostedRequest {
  body: Body;
  /** In addition to the channel's; if null, none. */
  headers: Readonly<Record<string, string>> | null;
}

/** Call of a hosted request. */
export interface HostedCall {
  /** The call only counts prompt tokens. */
  isCount: boolean;
  /** Model name in the provider's paths. */
  nameThere: string;
  /** The channel's setting. */
  setting: { preservesDots?: boolean };
}

/** Cache marks (`cache_control`) in chat completions. */
export interface CacheMarks {
  /** Models that support marks. */
  models: RegExp;
  /** Location of the mark of a tool result: on its text or its message. */
  results: 'text' | 'message';
  /** Tools may have marks. */
  onTools?: true;
  /** Marks may have a lifetime of an hour. */
  forAnHour?: true;
}

/** Fields in which a provider accepts thinking of earlier turns. */
export interface ThoughtsRule {
  /** Fields of an assistant message; all of them are written. */
  fields: readonly ('reasoning_content' | 'reasoning' | 'reasoning_details')[];
  /** Supported models. If undefined, all. */
  models?: RegExp;
  /** Text for turns without thinking, by model; the first matching rule applies. Other models accept such turns. */
  placeholders?: readonly { models: RegExp; text: string }[];
  /** Sends signed or encrypted thinking: the provider hosts the vendor's models. */
  takesSeals?: true;
  /** Some servers reject the fields: the request is then retried without them. */
  isDoubtful?: true;
  /** Applies to a custom base URL only. */
  isAwayOnly?: true;
}

/** Fields in which chat completions request thinking, in addition to OpenAI's `reasoning_effort`. */
export interface ThinkingWords {
  /** Switch of models with optional thinking: an object with a type, or a flag. If undefined, the effort switches. */
  toggle?: { field: 'thinking'; on: 'enabled' | 'adaptive' } | { field: 'enable_thinking' };
  /** Field for a token budget, for models that support one. */
  budget?: 'thinking_budget';
  /** Efforts that the provider maps for all of its thinking models. If undefined, each model has its own. */
  efforts?: readonly Effort[];
}

export interface ProviderTraits {
  name: string;
  /** If undefined, efforts alone control thinking. */
  thinking?: ThinkingWords;
  /** If undefined, thinking is not sent back. */
  thoughts?: ThoughtsRule;
  /** Accepted ids of tool calls. If undefined, those of the format's vendor. */
  callIds?: CallIdRule;
  /** The provider only streams: complete responses are collected from a stream. */
  streamsOnly?: boolean;
  /** The provider accepts no token limit, although its format has one. */
  takesNoLimit?: boolean;
  /**
   * `stream_options` on streams. `ask`: supported, so `include_usage` is added; `pass`: sent as the client sent it, because
   * the software behind the address is unknown; undefined: not supported, removed.
   */
  streamOptions?: 'ask' | 'pass';
  modelRules?: readonly ModelRule[];
  /** Fields that the provider rejects or misreads. Not an allowlist: unknown fields are forwarded. */
  drop?: readonly string[];
  /**
   * Changes a request where no field fits, after all other traits and before the channel's overrides; not called for counts.
   * @param lose drops a field and reports the loss to the caller
   */
  adapt?(edit: BodyEdit, lose: (field: string) => void): void;
  responses?: ResponseQuirks;
  errors?: BodyError;
  /** Fields that request paid extras, or models other than the billed one. */
  paidExtras?: readonly string[];
  /** API version of calls without a version; the caller's is forwarded. If undefined, the record's headers have the only version. */
  apiVersion?: string;
  /** Hosted tools for callers of other formats. */
  hosted?: readonly HostedKind[];
  /** Hosted tools that run in every call. If undefined, none. */
  runsAlways?: readonly HostedKind[];
  /** Media kinds whose URLs the provider downloads. If undefined, the format's default. */
  takesAddresses?: readonly MediaKind[];
  /** Encoding of embeddings, if it differs from the format's. */
  embeddings?: string;
  /** Encoding of reranking, if it differs from the format's. */
  rerank?: string;
  /** Encoding of images, if it differs from the format's. */
  images?: string;
  /** `events`: returns speech of models billed by token as events with usage. Others: encoding of speech requests. */
  speech?: string;
  /** Supported fields of transcription forms. */
  transcripts?: string;
  /** Bills rerankings by search; a call may be several searches. */
  billsSearches?: boolean;
  /** Realtime sessions that differ from the format's. */
  realtime?: {
    /** Seconds of a session for which a text message is billed. If undefined, none. */
    secondsPerText?: number;
    /** Transcribes what is said at no extra cost, with a model that has no name. */
    transcribes?: boolean;
  };
  /** Finds cached prompts by `prompt_cache_key`. Strict servers behind custom base URLs may reject the field. */
  takesCacheKey?: boolean;
  /** Accepts thinking of earlier turns only if encrypted. Custom base URLs depend on the model. */
  takesSealedThoughts?: boolean;
  /** Cache marks in chat completions. If undefined, not supported. */
  cacheMarks?: CacheMarks;
  /** Supports allowed tools in the tool choice, if the format's vendor does. Custom base URLs as above. */
  takesAllowedTools?: boolean;
  /** Counts accept a whole request (`generateContentRequest`). If undefined, contents only. */
  countsRequests?: boolean;
  /**
   * Rewrites a request of another vendor's format that the provider hosts: the last step, so nothing reads the body afterwards.
   * `dropped` has the names of what the host does not support.
   */
  wrap?(request: HostedRequest, call: HostedCall): HostedRequest & { dropped?: readonly string[] };
  /** Drops attribution that the format's vendor's client sends, since the models are another vendor's. */
  attribution?: 'drop';
}
