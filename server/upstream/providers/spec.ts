// What a provider is: data. Something new climbs this ladder: a field's value, then a quirk, then a hook, then a dialect.
import type { Capability, ProviderTraits } from '#server/dialects/provider-traits.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { FramingName } from '#server/framing/registry.ts';
import type { UpstreamDialectName } from '#server/dialects/registry.ts';
import type { Auth } from '#server/upstream/auth/registry.ts';
import type { BalanceSource } from '#server/upstream/balance-sources.ts';

/**
 * A template over the base URL: `{base}`, and encoded `{model}`, `{deployment}` (the model without dots), `{other}` (the
 * channel's free field), `{version}` (`api-version` of the client's query, else `{other}`, else `defaultVersion`).
 */
export type PathTemplate = string;

/** The first rule whose prefix the upstream model has wins; the last one usually has none. */
export type PathRule = { modelPrefix?: string; path: PathTemplate };

/** Where a provider tells which models it has, and where in that response their names are. */
export interface ModelList {
  path: PathTemplate;
  /** The field that holds the list of models. */
  items: string;
  /** The field of a model that holds its name. */
  name: string;
}

export interface Refusals {
  /** Another channel may do better after these, although a request that is bad is bad everywhere. */
  retried?: readonly number[];
  /** These, too, refuse the channel's key and take it out of use. */
  ofKey?: readonly number[];
}

export interface Provider extends ProviderTraits {
  /** The channel type: the number that clients and stored channels use. */
  type: number;
  dialect: UpstreamDialectName;
  /** How its streams are cut into events. */
  framing: FramingName;
  /** Without a trailing slash; null: the channel must name one. */
  baseUrl: string | null;
  /** A missing capability is refused before any call. */
  paths: Readonly<Partial<Record<Capability, PathTemplate | readonly PathRule[]>>>;
  /** It works on tasks of this kind, whose paths are theirs (`server/tasks/platforms/`). */
  tasks?: TaskRecord['platform'];
  auth: Auth;
  /** Constant headers; `{other}` and `{site}` (address of this installation) are filled, an empty value leaves it out. */
  headers?: Readonly<Record<string, string>>;
  streamHeaders?: Readonly<Record<string, string>>;
  /** The channel's organization field goes into `OpenAI-Organization`. */
  sendsOrganization?: boolean;
  /** Behind `https://gateway.ai.cloudflare.com` this prefix of the path is left out, because the gateway adds it. */
  gatewayDrops?: string;
  /** Of `{version}`. */
  defaultVersion?: string;
  /** Statuses that mean more here than elsewhere. */
  refusals?: Refusals;
  /** Missing: the provider does not tell. */
  modelList?: ModelList;
  /** Missing: the provider does not tell what is left. */
  balance?: BalanceSource;
  /** Model names offered when a channel is created. */
  models: readonly string[];
}
