// Mounts a handler under a contract: checks access and input, and writes errors and the envelope.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { Access, Endpoint } from '#shared/contract.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { notices } from '#shared/notices.ts';
import { Role } from '#shared/roles.ts';
import { actingAs } from '#server/audit-log/actor.ts';
import type { AppContext } from '#server/context.ts';
import { type Call, type Caller, Download, type Handler, HandlerResponse, personOf, type RequestFacts } from '#server/http/call.ts';
import { failureResponse, markedFailure, toAppError } from '#server/http/failure.ts';
import { actorOf, recordedCall } from '#server/http/audited-call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import type { Connection } from '#server/http/connection.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import { cachingHeaders, isCurrent } from '#server/http/caching.ts';
import { jsonResponse } from '#server/http/json-response.ts';
import { wrongField } from '#server/http/input-rule.ts';
import { readJson } from '#server/http/parse-body.ts';
import { dropBody } from '#server/http/read-body.ts';
import { readBytes } from '#server/http/read-bytes.ts';

/** Environment of routes; created once in `app.ts`. */
export interface RouteHost {
  context: AppContext;
  facts(request: Request, connection: Connection | null): RequestFacts;
  /**
   * Returns the current caller; null without a session.
   * @throws {AppError} if credentials are invalid
   */
  identify(facts: RequestFacts, endpoint: Endpoint): Promise<Caller | null>;
  /**
   * Counts the request against the limit of the caller or address.
   * @throws {AppError} `rate_limited`
   */
  limit(facts: RequestFacts, caller: Caller | null): Promise<void>;
  /** Paths match with and without a trailing slash; those without parameters come first. */
  add(method: string, path: string, serve: Serve): void;
  /**
   * For frequent routes, and those that write their body: bypasses the fetch adapter. `request` has only what
   * `leanRequest` provides.
   */
  addDirect(method: string, path: string, serve: ServeDirectly): void;
  /** Aborted at shutdown, to end what would hold it up. */
  readonly draining: AbortSignal;
  /** Aborted at shutdown, and when another process has taken over, to end endless responses, which clients open again. */
  readonly leaving: AbortSignal;
  /** Mounted endpoints, for the OpenAPI document. */
  readonly endpoints: Endpoint[];
}

type ServeWith<Served> = (request: Request, params: Record<string, string>, connection: Connection | null) => Promise<Served> | Served;
export type Serve = ServeWith<Response>;
export type ServeDirectly = ServeWith<DirectResponse>;

const defaultMaxBytes = 1024 * 1024;
const noBytes: AsyncIterable<Buffer> = Readable.from([]);
/** Null if no session is required. */
const requiredRole: Record<Access, number | null> = { public: null, optional: null, user: Role.user, admin: Role.admin, root: Role.root };

/** Mounts `handler` under the endpoint's method and path, with and without a trailing slash. */
export function mount<E extends Endpoint>(host: RouteHost, endpoint: E, handler: Handler<E>): void {
  host.endpoints.push(endpoint);
  host.add(endpoint.method, endpoint.path, (request, params, connection) =>
    serveCall(host, endpoint, handler, request, params, connection),
  );
}

/** Identifies the caller and counts the request against the limit of the user, or of the address if anonymous. */
async function identify(host: RouteHost, facts: RequestFacts, endpoint: Endpoint): Promise<Caller | null> {
  let caller: Caller | null;
  try {
    caller = endpoint.access === 'public' ? null : await host.identify(facts, endpoint);
  } catch (failure) {
    await host.limit(facts, null);
    throw failure;
  }
  await host.limit(facts, caller);
  return caller;
}

async function serveCall<E extends Endpoint>(
  host: RouteHost,
  endpoint: E,
  handler: Handler<E>,
  request: Request,
  rawParams: Record<string, string>,
  connection: Connection | null,
): Promise<Response> {
  const facts = host.facts(request, connection);
  const cookies: string[] = [];
  try {
    const caller = await identify(host, facts, endpoint);
    checkRole(endpoint, caller);
    const params = parse(endpoint.params, rawParams);
    const query = parse(endpoint.query, plainQuery(endpoint.query, facts.url.searchParams));
    const limit = endpoint.maxBytes ?? defaultMaxBytes;
    const body =
      endpoint.body === undefined
        ? undefined
        : parse(endpoint.body, withoutNulls(await readBody(host, { request, connection, facts, caller, limit })));
    const bytes = endpoint.takesBytes === true ? readBytes({ request, connection, limit, watch: host.context.bodies.watch }) : noBytes;
    // The parts were validated above against the endpoint's schemas, so the type holds.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const call = { params, query, body, caller, facts, context: host.context, cookies, bytes } as Call<E>;
    const result =
      endpoint.audit === undefined
        ? await handler(call)
        : await actingAs(actorOf(endpoint, call), () => recordedCall(endpoint, call, handler));
    return withCookies(await successResponse(endpoint.isMarked === true ? marked(result) : result, facts, caller?.setCookie), cookies);
  } catch (failure) {
    if (connection !== null) dropBody(connection);
    const error = toAppError(failure, host.context, facts.requestId);
    const respond = endpoint.isMarked === true ? markedFailure : failureResponse;
    return withCookies(respond(error, facts.language, facts.requestId), cookies);
  }
}

/** Adds the message that old clients of such calls compare. */
function marked(result: unknown): HandlerResponse<unknown, unknown> {
  const isResponse = result instanceof HandlerResponse;
  return new HandlerResponse(isResponse ? result.data : result, { ...(isResponse ? result.options : {}), notice: 'success' });
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

function checkRole(endpoint: Endpoint, caller: Caller | null): void {
  const required = requiredRole[endpoint.access];
  if (required === null) return;
  if (caller === null) throw new AppError('not_logged_in');
  if (caller.user.role < required) throw new AppError('forbidden');
}

/**
 * A foreign page can make a browser send a form without a preflight, with a text that parses as JSON: to set up this
 * server, or to sign the visitor in to another account. It cannot send the JSON content type, so requests from pages
 * must have it; other clients need not.
 */
function readBody(host: RouteHost, { request, connection, facts, caller, limit }: BodyRequest): Promise<unknown> {
  const { headers, ip } = facts;
  const isFromPage = headers.has('origin') || headers.has('sec-fetch-site');
  if (isFromPage && !/^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? ''))
    throw new AppError('unsupported_media_type');
  const owner = caller === null ? `address:${subscriberOf(ip)}` : `user:${personOf(caller).id}`;
  return readJson({ request, connection, limit }, host.context.bodies, owner);
}

interface BodyRequest {
  request: Request;
  connection: Connection | null;
  facts: RequestFacts;
  caller: Caller | null;
  limit: number;
}

/**
 * Query values by name. A known field that occurs twice, or as `p[$gt]`, is rejected, because other code could read it
 * differently. Unknown names may have any form.
 */
function plainQuery(schema: z.core.$ZodType | undefined, values: URLSearchParams): Record<string, string> {
  const known = schema !== undefined && 'shape' in schema && typeof schema.shape === 'object' ? (schema.shape ?? {}) : {};
  const seen = new Set<string>();
  for (const name of values.keys()) {
    const field = name.split('[', 1)[0] ?? name;
    if (!Object.hasOwn(known, field)) continue;
    if (field !== name || seen.has(field)) throw invalidField(field, fieldRules.once);
    seen.add(field);
  }
  return Object.fromEntries(values);
}

function parse(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue === undefined) throw new AppError('invalid_parameter');
  const { path, rule } = wrongField(issue, value);
  throw path === '' ? new AppError('invalid_parameter') : invalidField(path, rule);
}

/** Null fields count as absent: clients send whole records back, with nulls in them. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

async function successResponse(result: unknown, facts: RequestFacts, setCookie: string | undefined): Promise<Response> {
  if (result instanceof Download) return downloadResponse(result, await result.first, facts.requestId);
  const isResponse = result instanceof HandlerResponse;
  const data: unknown = isResponse ? result.data : result;
  const options = isResponse ? result.options : {};
  if (options.redirect !== undefined) {
    const headers = { location: options.redirect, 'cache-control': 'no-store', 'x-oneapi-request-id': facts.requestId };
    return new Response(null, { status: 302, headers });
  }
  const caching = options.caching === undefined ? undefined : cachingHeaders(options.caching);
  const common = {
    ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
    ...options.headers,
    'x-oneapi-request-id': facts.requestId,
  };
  if (caching !== undefined && isCurrent(facts.headers, caching.etag))
    return new Response(null, { status: 304, headers: { ...common, ...caching } });
  const message = options.notice === undefined ? '' : notices[options.notice][facts.language];
  const body = { success: true, message, ...(data === undefined ? {} : { data }), ...extraOf(options.extra) };
  return jsonResponse(body, facts.headers.get('accept-encoding'), { ...common, 'cache-control': 'no-store', ...caching });
}

/** Pulls one part at a time, so that a slow reader buffers no more. */
function downloadResponse(
  { type, fileName, bytes, parts }: Download,
  first: IteratorResult<string | Uint8Array>,
  requestId: string,
): Response {
  let waiting: IteratorResult<string | Uint8Array> | undefined = first;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        const { value, done } = waiting ?? (await parts.next());
        waiting = undefined;
        if (done === true) stream.close();
        else stream.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'content-type': type,
      ...(bytes === undefined ? {} : { 'content-length': String(bytes) }),
      ...(fileName === undefined ? {} : { 'content-disposition': `attachment; filename="${fileName}"` }),
      // Prevents proxies from buffering a stream.
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-oneapi-request-id': requestId,
    },
  });
}

function extraOf(extra: unknown): object {
  return typeof extra === 'object' && extra !== null ? extra : {};
}
