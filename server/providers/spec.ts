// What a provider is: data. Something new climbs this ladder: a field's value, then a quirk, then a hook, then a dialect.
import type { CallKindName } from '#server/kinds/call-kind.ts';
import type { ProviderTraits } from '#server/formats/provider-traits.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { FramingName } from '#server/framing/registry.ts';
import type { UpstreamDialectName } from '#server/formats/registry.ts';
import type { Auth } from '#server/exchange/auth/registry.ts';
import type { BalanceSource } from '#server/exchange/balance-sources.ts';

/**
 * A template over the base URL: `{base}`, and encoded `{model}`, `{deployment}` (the model without dots, unless the channel has `keep_dots`), the same as values of a query
 * (`{modelValue}`, `{deploymentValue}`), `{collection}` (`models/`
 * before a Gemini model whose name has none), `{other}` (the channel's free field), `{version}` (`api-version` of the client's query, else `{other}`, else `defaultVersion`; or what
 * `versionSetting` has for the model).
 */
export type PathTemplate = string;

/** The first rule wins that is for the upstream model, by its name or by its facts; the last one usually is for all. Null: there is no path for those models. */
export type PathRule = { modelPrefix?: string; isFor?: (facts: ModelFacts) => boolean; path: PathTemplate | null };

/** Where a call goes says whether its response streams. */
export type PathPair = { whole: PathTemplate; stream: PathTemplate };

/** Where a call goes says whether it is one request or several in one. */
export type BatchPair = { whole: PathTemplate; batch: PathTemplate };

/** Where a session goes says whether its events have the shape that the beta had. */
export type BetaPair = { whole: PathTemplate; beta: PathTemplate };

/** Where a provider tells which models it has, and where in that response their names are. */
export interface ModelList {
  path: PathTemplate;
  /** Where the key says that it is, if not at the address of calls. Null: a key of this form says nothing. */
  baseOf?(key: string): string | null;
  /** The field that holds the list of models. */
  items: string;
  /** The field of a model that holds its name. */
  name: string;
  /** What stands before each name. */
  prefix?: string;
  /** Of models that tell what they can do (`supportedGenerationMethods`), those that can do this. */
  method?: string;
}

export interface Refusals {
  /** Another channel may do better after these, although a request that is bad is bad everywhere: unless they say that it is. */
  retried?: readonly number[];
  /** Parts of messages by which a status of `retried` speaks of the channel's account; in any case of letters. */
  accountWords?: readonly string[];
  /** These, too, refuse the channel's account and take it out of use, unless they are about something else. */
  ofAccount?: readonly number[];
  /** The same of codes that errors are named by. */
  codesOfKey?: readonly string[];
  /** Codes of prompts that are longer than the model takes. */
  codesOfLength?: readonly string[];
}

/** A call whose address is looked for. */
export interface LocatedCall {
  /** The channel's secret and its free field. */
  key: string;
  other: string;
  /** As the caller named it. */
  clientModel: string;
  /** As the channel's mapping and its endings have it. */
  model: string;
}

/** Where calls of one model go, where the channel's key or its free field has a say in it. */
export interface ModelLocation {
  /** Used where the channel names none. Without a trailing slash. */
  base: string;
  /** Of further `{names}` in paths. A path with one that is missing is none. */
  values: Readonly<Record<string, string>>;
  /** What the provider calls the model there, for `{model}`. */
  model: string;
}

/** How a provider speaks one of its formats. */
export interface ProviderFormat extends Omit<ProviderTraits, 'name'> {
  /** Those of its models that are asked in this format, by the name after the channel's mapping. Missing: all. */
  models?: RegExp;
  /** How its streams are cut into events. */
  framing: FramingName;
  /** What it does in this format. A kind without a path is never asked for. */
  paths: Readonly<Partial<Record<CallKindName, PathTemplate | readonly PathRule[] | PathPair | BatchPair | BetaPair>>>;
  /** Beside those of the provider. */
  headers?: Readonly<Record<string, string>>;
  /** Where the key travels otherwise in this format. */
  auth?: Auth;
  /** It is spoken at this address, where the channel names none. Missing: at the provider's. */
  baseUrl?: string;
  /** Only where the channel's setting `formats` names it. */
  isByChoice?: boolean;
  /** Only at the provider's own address: what answers behind another one is known to speak the first format alone. Otherwise the
   *  channel's setting `formats` names it. */
  isAtHomeOnly?: boolean;
  /** Callers of other formats are asked in another one of the provider, where it has one: what is lost on their way there is less. */
  isForItsCallers?: boolean;
  /** Of its models, those that callers of other formats are asked for in this one, because the others do less with them. */
  isBestFor?: (facts: ModelFacts) => boolean;
  /** Of its models, those that have no other format, whatever their callers speak. */
  isSoleFor?: (facts: ModelFacts) => boolean;
}

/** Forms in which videos are ordered. */
export type VideoFormatName = 'sora' | 'kling' | 'jimeng' | 'vidu' | 'ark' | 'wan' | 'hailuo' | 'veo' | 'veo-vertex' | 'cogvideo';

/** What lies in a provider's account, and is asked for as OpenAI has it but for this. */
export interface ProviderAccount {
  /** Before `/files` and `/batches`, behind the channel's address. */
  path: string;
  /** What requests of batches ask for there, by what callers ask for. One that is missing cannot be asked for. */
  endpoints: Readonly<Record<string, string>>;
  /** Seconds that a file may be kept. Missing: it cannot be told, and a file is there until it is deleted. */
  lifetimes?: { least: number; most: number };
  /** Requests of batches call a model as its deployment is called. */
  namesDeployment?: true;
  /** Batches are jobs in that vendor's words, of one model, and their requests have no more than a name and a body. */
  jobs?: 'mistral';
}

export interface Provider {
  /** The channel type: the number that clients and stored channels use. */
  type: number;
  name: string;
  /** Without a trailing slash; null: the channel must name one. */
  baseUrl: string | null;
  /** Every format that it speaks. What none of them has a path for is refused before any call. */
  formats: Readonly<Partial<Record<UpstreamDialectName, ProviderFormat>>>;
  /** It works on tasks of this kind, whose paths are theirs (`server/tasks/platforms/`). */
  tasks?: TaskRecord['platform'];
  /** It makes videos, ordered and asked about in this form (`server/tasks/videos/`). */
  videos?: VideoFormatName;
  auth: Auth;
  /** Constant headers; `{other}` and `{site}` (address of this installation) are filled, an empty value leaves it out. */
  headers?: Readonly<Record<string, string>>;
  streamHeaders?: Readonly<Record<string, string>>;
  /** The channel's organization field goes into `OpenAI-Organization`. */
  sendsOrganization?: boolean;
  /** Callers may leave files at `/v1/files`. */
  storesFiles?: true;
  /** Callers may put such files into vector stores. */
  storesVectorStores?: true;
  /** Callers may create batches: at `/v1/batches`, whose requests lie in such files, at `/v1/messages/batches`, or by `:batchGenerateContent`. */
  runsBatches?: 'openai' | 'claude' | 'gemini';
  /** Callers may keep beginnings of prompts there, as that vendor has them. */
  storesCaches?: 'gemini' | 'vertex';
  /** Missing: files and batches are as their form's vendor has them. */
  account?: ProviderAccount;
  /** Callers may have its models trained: at `/v1/fine_tuning/jobs`, by examples in such files. */
  trainsModels?: true;
  /** Behind `https://gateway.ai.cloudflare.com` this prefix of the path is left out, because the gateway adds it. */
  gatewayDrops?: string;
  /** Missing: `baseUrl` and the templates say it all. Null: a call of that model has nowhere to go. */
  locate?(call: LocatedCall): ModelLocation | null;
  /** What models are called there that are known by another name, in requests too. */
  modelNames?: Readonly<Record<string, string>>;
  /** Of `{version}`. */
  defaultVersion?: string;
  /** The setting that has `{version}` by upstream model, and under `default`. */
  versionSetting?: 'gemini.version_settings';
  /** The setting by which endings of names say how much a model shall think. */
  endingsSetting?: 'gemini.thinking_adapter_enabled';
  /** Statuses that mean more here than elsewhere. */
  refusals?: Refusals;
  /** Missing: the provider does not tell. Several: it tells of some here and of some there. */
  modelList?: ModelList | readonly ModelList[];
  /** Missing: the provider does not tell what is left. */
  balance?: BalanceSource;
  /** Model names offered when a channel is created. */
  models: readonly string[];
}
