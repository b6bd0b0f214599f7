// What a provider is: data. Something new climbs this ladder: a field's value, then a quirk, then a hook, then a dialect.
import type { UpstreamDialectName } from '#server/dialects/registry.ts';

/** What a client can ask for. A provider without a path for it is never asked. */
export type Capability = 'chat' | 'count_tokens' | 'embeddings';

/**
 * How the channel's key travels.
 * - `bearer`: `Authorization: Bearer <key>`
 * - `header`: the key alone in the header of that name
 * - `zhipu-jwt`: a key `id.secret` signs a token (HS256) that is sent as `Authorization` without `Bearer`
 * `split`: the key is `<key><separator><value>`; the second part goes into that header, when there is one.
 */
export type Auth =
  | { kind: 'bearer'; split?: { separator: string; header: string } }
  | { kind: 'header'; name: string }
  | { kind: 'zhipu-jwt' };

/**
 * A template over the base URL: `{base}`, and encoded `{model}`, `{deployment}` (the model without dots), `{other}` (the
 * channel's free field), `{version}` (`api-version` of the client's query, else `{other}`, else `defaultVersion`).
 */
export type PathTemplate = string;

/** The first rule whose prefix the upstream model has wins; the last one usually has none. */
export type PathRule = { modelPrefix?: string; path: PathTemplate };

/** A model name's ending that stands for request fields: it is cut off and the fields are set where the client sent none. */
export interface ModelSuffix {
  suffix: string;
  set: Readonly<Record<string, unknown>>;
}

/** Rules for models whose name (as sent upstream) begins with one of the prefixes and with none of the exceptions. */
export interface ModelRule {
  prefixes: readonly string[];
  except?: readonly string[];
  /** Fields renamed unless the target is there already. */
  rename?: Readonly<Record<string, string>>;
  drop?: readonly string[];
  suffixes?: readonly ModelSuffix[];
  /** A first message of role `system` is sent as `developer`; names: only for these models or prefixes (`o3*`). */
  developerRole?: readonly string[];
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
  /** A single `stop` text is sent as a list of one. */
  stopAsList?: boolean;
  /** `image_url` parts: `text` — the URL alone instead of an object; `bare` — data URLs without their `data:…;base64,`. */
  images?: 'text' | 'bare';
}

/** Differences in how an answer looks. Any of them makes its stream events be parsed. */
export interface AnswerQuirks {
  /** `completion_tokens` leaves the reasoning out: it is `total_tokens − prompt_tokens`. */
  completionFromTotal?: boolean;
  /** The answer's `model` is not the requested one and is replaced by it. */
  ownModel?: boolean;
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
  /** HTTP status by code; others are 500. */
  statuses: Readonly<Record<string, number>>;
}

/** Embeddings with a body of their own: the last resort of the ladder. */
export interface EmbeddingsHook {
  /** OpenAI's body → the provider's. */
  request(body: Record<string, unknown>): Record<string, unknown>;
  /** The provider's answer → OpenAI's. Null: not an answer of this kind, it is passed on as it is. */
  answer(answer: Record<string, unknown>, model: string): Record<string, unknown> | null;
}

/** Where a provider tells which models it has, and where in that answer their names are. */
export interface ModelList {
  path: PathTemplate;
  /** The field that holds the list of models. */
  items: string;
  /** The field of a model that holds its name. */
  name: string;
}

export interface Provider {
  /** The channel type: the number that clients and stored channels use. */
  type: number;
  name: string;
  dialect: UpstreamDialectName;
  /** Without a trailing slash; null: the channel must name one. */
  baseUrl: string | null;
  /** A missing capability is refused before any call. */
  paths: Readonly<Partial<Record<Capability, PathTemplate | readonly PathRule[]>>>;
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
  /** Missing: the provider does not tell. */
  modelList?: ModelList;
  quirks?: RequestQuirks;
  answers?: AnswerQuirks;
  errors?: BodyError;
  embeddings?: EmbeddingsHook;
  /** Model names offered when a channel is created. */
  models: readonly string[];
}
