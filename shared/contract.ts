// One value describes a console call; the server mounts it, the console calls it, the OpenAPI document is made from it.
import type { z } from 'zod/mini';
import type { AuditSpec } from '#shared/audit-spec.ts';
import type { OrganisationRight } from '#shared/organisation-roles.ts';

/** Who may call: anybody, anybody but with the session looked at, or a session of at least that role. */
export type Access = 'public' | 'optional' | 'user' | 'admin' | 'root';
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Schema = z.core.$ZodType;
type OutputOf<S> = S extends z.core.$ZodType ? z.output<S> : undefined;
type InputOf<S> = S extends z.core.$ZodType ? z.input<S> : undefined;

export interface EndpointSpec<
  Params extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Reply extends Schema | undefined,
  Extra extends Schema | undefined,
> {
  access: Access;
  /** Path parameters (`:id`), as strings. */
  params?: Params;
  query?: Query;
  body?: Body;
  /** Shape of `data`; none: the response has no data. */
  reply?: Reply;
  /** Further top-level keys next to `data` that old clients read, e.g. `time` of a channel test. */
  extra?: Extra;
  /** One sentence for the OpenAPI document. */
  summary?: string;
  /**
   * Paths with a trailing slash answer with and without it. State-changing GETs are marked: they need the user-id header
   * or `Sec-Fetch-Site: same-origin`.
   */
  changesState?: boolean;
  /**
   * Right with which a member may call on behalf of an organisation (header `OpenAI-Organization`): its account takes the place of the caller's. Without
   * it, such calls are refused.
   */
  organisation?: OrganisationRight;
  /** Entry in the audit log. Required of calls that change something. */
  audit?: AuditSpec;
  /**
   * Its answers say `success` or `error` in `message`, and a refusal its text in `data`: old clients compare the one and show the other.
   */
  isMarked?: boolean;
  /** Size limit of the body in bytes; 1 MiB by default. */
  maxBytes?: number;
  /** The body is `application/octet-stream`, which the handler reads while it arrives. */
  takesBytes?: boolean;
}

export interface Endpoint<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Reply extends Schema | undefined = Schema | undefined,
  Extra extends Schema | undefined = Schema | undefined,
> extends EndpointSpec<Params, Query, Body, Reply, Extra> {
  method: Method;
  path: string;
}

/** A call that changes something names its entry in the audit log, or why there is none. */
type Audited<M extends Method> = M extends 'GET'
  ? { changesState?: false } | { changesState: true; audit: AuditSpec }
  : { audit: AuditSpec };

/**
 * Declares a console call. `path` is the specification's, with `:name` for path parameters. What the handler gets and the
 * console sends is typed by the schemas.
 */
export function endpoint<
  const M extends Method,
  Params extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
  Reply extends Schema | undefined = undefined,
  Extra extends Schema | undefined = undefined,
>(
  method: M,
  path: string,
  spec: EndpointSpec<Params, Query, Body, Reply, Extra> & Audited<M>,
): Endpoint<Params, Query, Body, Reply, Extra> {
  return { method, path, ...spec };
}

/** What a handler receives. */
export type ParamsOf<E> = E extends Endpoint<infer P, infer _Q, infer _B, infer _R, infer _X> ? OutputOf<P> : never;
export type QueryOf<E> = E extends Endpoint<infer _P, infer Q, infer _B, infer _R, infer _X> ? OutputOf<Q> : never;
export type BodyOf<E> = E extends Endpoint<infer _P, infer _Q, infer B, infer _R, infer _X> ? OutputOf<B> : never;
/** What a handler returns, and the console gets. */
export type ReplyOf<E> = E extends Endpoint<infer _P, infer _Q, infer _B, infer R, infer _X> ? OutputOf<R> : never;
export type ExtraOf<E> = E extends Endpoint<infer _P, infer _Q, infer _B, infer _R, infer X> ? OutputOf<X> : never;
/** What the console sends. */
export type ParamsInput<E> = E extends Endpoint<infer P, infer _Q, infer _B, infer _R, infer _X> ? InputOf<P> : never;
export type QueryInput<E> = E extends Endpoint<infer _P, infer Q, infer _B, infer _R, infer _X> ? InputOf<Q> : never;
export type BodyInput<E> = E extends Endpoint<infer _P, infer _Q, infer B, infer _R, infer _X> ? InputOf<B> : never;
