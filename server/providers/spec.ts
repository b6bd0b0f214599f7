// Type of a provider's record. To support a difference, prefer a field's value, then a hook, then a field that at least
// three records need, then a dialect.
import type { CallKindName } from '#server/kinds/call-kind.ts';
import type { ProviderTraits } from '#server/formats/provider-traits.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { FramingName } from '#server/framing/registry.ts';
import type { UpstreamDialectName } from '#server/formats/registry.ts';
import type { Auth } from '#server/exchange/auth/registry.ts';
import type { BalanceSource } from '#server/exchange/balance-sources.ts';

/**
 * Template over the base URL: `{base}`, and encoded `{model}`, `{deployment}` (the model without dots, unless the
 * channel has `keep_dots`), the same as query values (`{modelValue}`, `{deploymentValue}`), `{collection}` (`models/`
 * before a Gemini model whose name has none), `{other}` (the channel's free field), `{version}` (`api-version` of the
 * client's query, else `{other}`, else `defaultVersion`; or the model's value in `versionSetting`).
 */
export type PathTemplate = string;

/**
 * Path of the models that match by upstream name or facts. The first match wins; the last rule usually matches all. If
 * `path` is null, the models have no path.
 */
export type PathRule = { modelPrefix?: string; isFor?: (facts: ModelFacts) => boolean; path: PathTemplate | null };

/** Separate paths for whole and streamed responses. */
export type PathPair = { whole: PathTemplate; stream: PathTemplate };

/** Separate paths for single and batched requests. */
export type BatchPair = { whole: PathTemplate; batch: PathTemplate };

/** Separate paths for sessions in the current and the beta format. */
export type BetaPair = { whole: PathTemplate; beta: PathTemplate };

/** Endpoint of a provider's model list, and where the names are in its response. */
export interface ModelList {
  path: PathTemplate;
  /** Base URL that the key implies, if it differs from that of calls. Returns null for keys that imply none. */
  baseOf?(key: string): string | null;
  /** Field that holds the list of models. If undefined, `data`. */
  items?: string;
  /** Field that holds a model's name, or its reader. If undefined, `id`. */
  name?: string | ((model: Readonly<Record<string, unknown>>) => unknown);
}

export interface Refusals {
  /**
   * Request errors that are retried on another channel, because they may refuse the account, unless the body blames the
   * request.
   */
  retried?: readonly number[];
  /** Phrases, in any case, by which an error of `retried` blames the channel's account. */
  accountWords?: readonly string[];
  /** Statuses that refuse the account and disable the channel, unless the body says otherwise. */
  ofAccount?: readonly number[];
  /** Error codes that refuse the account. */
  codesOfKey?: readonly string[];
  /** Error codes of prompts that exceed the context length. */
  codesOfLength?: readonly string[];
}

/** Inputs of `locate`. */
export interface LocatedCall {
  /** The channel's secret; `other` is its free field. */
  key: string;
  other: string;
  /** Model name of the request. */
  clientModel: string;
  /** Model name after the channel's mapping and suffixes. */
  model: string;
}

/** Location of a model's calls, if it depends on the channel's key or free field. */
export interface ModelLocation {
  /** Used if the channel sets no base URL. Without a trailing slash. */
  base: string;
  /** Values of further `{names}` in paths. A path with a missing value does not exist. */
  values: Readonly<Record<string, string>>;
  /** The provider's name of the model, for `{model}`. */
  model: string;
}

/** How a provider supports one of its formats. */
export interface ProviderFormat extends Omit<ProviderTraits, 'name'> {
  /** Models served in this format, by the name after the channel's mapping. If undefined, all. */
  models?: RegExp;
  /** Framing of its streams. If undefined, server-sent events. */
  framing?: FramingName;
  /** Paths by kind of call. Kinds without a path are not supported. */
  paths: Readonly<Partial<Record<CallKindName, PathTemplate | readonly PathRule[] | PathPair | BatchPair | BetaPair>>>;
  /** Headers in addition to the provider's. */
  headers?: Readonly<Record<string, string>>;
  /** Authorization of this format, if it differs from the provider's. */
  auth?: Auth;
  /** Default base URL of this format, if it differs from the provider's. */
  baseUrl?: string;
  /**
   * Restricts its use, unless the channel's setting `formats` lists it. `at_home`: only at the provider's own base URL, because
   * other servers usually support the first format alone. `by_choice`: never. `its_callers`: callers of other formats use
   * another format of the provider, if it has one, because less is lost in translation; listing it changes nothing.
   */
  use?: 'at_home' | 'by_choice' | 'its_callers';
  /** Models that callers of other formats use through this format, because it supports more. */
  isBestFor?: (facts: ModelFacts) => boolean;
  /** Models that only support this format. */
  isSoleFor?: (facts: ModelFacts) => boolean;
}

/** Wire formats of video requests. */
export type VideoFormatName = 'sora' | 'kling' | 'jimeng' | 'vidu' | 'ark' | 'wan' | 'hailuo' | 'veo' | 'veo-vertex' | 'cogvideo';

/** Files and batches of a provider's account, as far as they differ from OpenAI's API. */
export interface ProviderAccount {
  /** Prefix of `/files` and `/batches` after the channel's base URL. */
  path: string;
  /** Endpoint in batch requests by the callers' endpoint; others are rejected. */
  endpoints: Readonly<Record<string, string>>;
  /** Allowed lifetimes of a file, in seconds. If undefined, files have no expiry and stay until deleted. */
  lifetimes?: { least: number; most: number };
  /** Batch requests name the deployment instead of the model. */
  namesDeployment?: true;
  /** Batches are jobs of one model in that vendor's format; requests have only an id and a body. */
  jobs?: 'mistral';
}

/** Provider with the defaults of its record filled in. */
export type Provider = ProviderRecord & Required<Pick<ProviderRecord, 'formats' | 'auth' | 'models'>>;

export interface ProviderRecord {
  /** Channel type: the number that clients and stored channels use. */
  type: number;
  name: string;
  /** Without a trailing slash; null if the channel must set one. */
  baseUrl: string | null;
  /** Supported formats; none if undefined. Calls without a path in any of them are rejected before they are sent. */
  formats?: Readonly<Partial<Record<UpstreamDialectName, ProviderFormat>>>;
  /** Platform of the tasks that it runs; their paths are in `server/tasks/platforms/`. */
  tasks?: TaskRecord['platform'];
  /** Wire format of its videos (`server/tasks/videos/`). */
  videos?: VideoFormatName;
  /** If undefined, the key is a bearer token. */
  auth?: Auth;
  /** `{other}`, `{site}` (URL of this installation) and `{organization}` (the channel's field) are filled; empty values are dropped. */
  headers?: Readonly<Record<string, string>>;
  streamHeaders?: Readonly<Record<string, string>>;
  /**
   * What callers can create in the channel's account: files at `/v1/files`, vector stores of these files, and models
   * fine-tuned with examples in them, at `/v1/fine_tuning/jobs`.
   */
  hosts?: readonly ('files' | 'vector_stores' | 'fine_tuning')[];
  /**
   * Callers can create batches: at `/v1/batches` from such files, at `/v1/messages/batches`, or by
   * `:batchGenerateContent`.
   */
  runsBatches?: 'openai' | 'claude' | 'gemini';
  /** Callers can cache prompt prefixes, in that vendor's format. */
  storesCaches?: 'gemini' | 'vertex';
  /** If undefined, files and batches are those of the format's vendor. */
  account?: ProviderAccount;
  /** Path prefix dropped behind `https://gateway.ai.cloudflare.com`, which adds it. */
  gatewayDrops?: string;
  /** If undefined, `baseUrl` and the templates are enough. Returns null if the model cannot be called. */
  locate?(call: LocatedCall): ModelLocation | null;
  /** The provider's names of models known by other names, also in requests. */
  modelNames?: Readonly<Record<string, string>>;
  /** Default of `{version}`. */
  defaultVersion?: string;
  /** Setting with `{version}` by upstream model, and under `default`. */
  versionSetting?: 'gemini.version_settings';
  /** Setting that enables thinking suffixes of model names. */
  endingsSetting?: 'gemini.thinking_adapter_enabled';
  /** Provider-specific meanings of error statuses and codes. */
  refusals?: Refusals;
  /** If undefined, the provider has no list. Several lists are merged. */
  modelList?: ModelList | readonly ModelList[];
  /** If undefined, the provider does not report a balance. */
  balance?: BalanceSource;
  /** Model names offered when a channel is created. If undefined, those of `default-models.json`. */
  models?: readonly string[];
}
