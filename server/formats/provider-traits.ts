// Differences between providers of the same format, as data in the provider's record. The format applies them.
import type { HostedKind } from '#shared/hosted-tools.ts';
import type { Effort } from '#server/model-facts/model-record.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { Body, BodyEdit } from './body-edit.ts';
import type { CallIdRule } from './call-id-rules.ts';
import type { MediaKind } from './media-addresses.ts';

/** Model name suffix that is removed and sets request fields, unless the client sent them. */
export interface ModelSuffix {
  suffix: string;
  /** Effort that the suffix names: for models that do not support it, it is part of the name. If undefined, it is always a suffix. */
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
  /** Sampling fields that are dropped if the model rejects them. */
  sampling?: readonly string[];
  /** Whether the effort is replaced by the nearest one that the model supports. */
  fitsEffort?: true;
  /** Whether cache retention is dropped unless the model supports it. */
  fitsRetention?: true;
  suffixes?: readonly ModelSuffix[];
  /** Whether names may end in a thinking budget (`-thinking-1024`), if a setting allows it. */
  hasThinkingEndings?: true;
  /** Reports whether a first `system` message is sent as `developer`. */
  developerRole?: (facts: ModelFacts) => boolean;
  /** Whether the idle timeout is doubled, because the model thinks long before the first token. */
  longIdle?: boolean;
}

/** Changes to responses. With any of them, stream events are parsed. */
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

/** Request for a host of another vendor's format. */
export interface HostedRequest {
  body: Body;
  /** Headers in addition to the channel's; null for none. */
  headers: Readonly<Record<string, string>> | null;
}

/** Properties of the call that a `HostedRequest` belongs to. */
export interface HostedCall {
  /** Whether the call only counts prompt tokens. */
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
  /** Whether tools may have marks. */
  onTools?: true;
  /** Whether marks may have a lifetime of an hour. */
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
  /** Whether signed or encrypted thinking is sent too, because the provider hosts the vendor's models. */
  takesSeals?: true;
  /** Whether some servers reject the fields, so that the request is retried without them. */
  isDoubtful?: true;
  /** Whether the rule applies to custom base URLs only. */
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
  /** Fields that request thinking. If undefined, efforts alone control it. */
  thinking?: ThinkingWords;
  /** Fields for thinking of earlier turns. If undefined, it is not sent back. */
  thoughts?: ThoughtsRule;
  /** Accepted ids of tool calls. If undefined, those of the format's vendor. */
  callIds?: CallIdRule;
  /** Whether the provider only streams, so that complete responses are collected from a stream. */
  streamsOnly?: boolean;
  /** Whether the provider accepts no token limit, although its format has one. */
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
  /** Whether rerankings are billed by search; a call may be several searches. */
  billsSearches?: boolean;
  /** Realtime sessions that differ from the format's. */
  realtime?: {
    /** Seconds of a session for which a text message is billed. If undefined, none. */
    secondsPerText?: number;
    /** Whether input is transcribed free of charge, by a model without a name. */
    transcribes?: boolean;
  };
  /** Whether cached prompts are found by `prompt_cache_key`. Not for custom base URLs, whose servers may reject the field. */
  takesCacheKey?: boolean;
  /** Whether thinking of earlier turns is accepted only if encrypted. At custom base URLs this depends on the model. */
  takesSealedThoughts?: boolean;
  /** Cache marks in chat completions. If undefined, not supported. */
  cacheMarks?: CacheMarks;
  /** Whether the tool choice may list allowed tools. Not at custom base URLs. */
  takesAllowedTools?: boolean;
  /** Whether token counts accept a whole request (`generateContentRequest`). If undefined, only contents. */
  countsRequests?: boolean;
  /**
   * Rewrites a request of another vendor's format that the provider hosts: the last step, so nothing reads the body afterwards.
   * `dropped` has the names of what the host does not support.
   */
  wrap?(request: HostedRequest, call: HostedCall): HostedRequest & { dropped?: readonly string[] };
  /** Whether the attribution of the format's own client is dropped, because the models are another vendor's. */
  attribution?: 'drop';
}
