// A contract and a handler become a route: rights, input, failures and the envelope are dealt with here, once.
import type { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { Endpoint } from '#shared/contract.ts';
import type { Role } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import { Answer } from '#server/http/call.ts';
import type { Call, Caller, Handler, RequestFacts } from '#server/http/call.ts';
import { failureResponse, toAppError } from '#server/http/failure.ts';
import { readJson } from '#server/http/read-body.ts';

/** What a route needs from around it; made once in `app.ts`. */
export interface RouteHost {
  context: AppContext;
  facts(request: Request, connection: unknown): RequestFacts;
  /** Who calls, as of now; null without a session. @throws {AppError} when credentials are wrong */
  identify(facts: RequestFacts, endpoint: Endpoint): Promise<Caller | null>;
  /** Counts the request against the limits of its address. @throws {AppError} `rate_limited` */
  limit(facts: RequestFacts): Promise<void>;
  add(method: string, path: string, serve: (request: Request, params: Record<string, string>, connection: unknown) => Promise<Response>): void;
}

const defaultMaxBytes = 1024 * 1024;
const requiredRole: Record<string, (typeof Role)[keyof typeof Role]> = { user: 1, admin: 10, root: 100 };

/** Mounts `handler` under the endpoint's method and path, with and without a trailing slash. */
export function mount<E extends Endpoint>(host: RouteHost, endpoint: E, handler: Handler<E>): void {
  const serve = (request: Request, params: Record<string, string>, connection: unknown) =>
    serveCall(host, endpoint, handler, request, params, connection);
  const path = endpoint.path.endsWith('/') ? endpoint.path.slice(0, -1) : endpoint.path;
  host.add(endpoint.method, path, serve);
  host.add(endpoint.method, `${path}/`, serve);
}

async function serveCall<E extends Endpoint>(
  host: RouteHost,
  endpoint: E,
  handler: Handler<E>,
  request: Request,
  rawParams: Record<string, string>,
  connection: unknown,
): Promise<Response> {
  const facts = host.facts(request, connection);
  try {
    await host.limit(facts);
    const caller = endpoint.access === 'public' ? null : await host.identify(facts, endpoint);
    checkRole(endpoint, caller);
    const params = parse(endpoint.params, rawParams);
    const query = parse(endpoint.query, Object.fromEntries(facts.url.searchParams));
    const body = endpoint.body === undefined ? undefined : parse(endpoint.body, await readJson(request, endpoint.maxBytes ?? defaultMaxBytes));
    // The parts were checked against the endpoint's own schemas just above, which is what these types say.
    const call = { params, query, body, caller, facts, context: host.context } as Call<E>;
    const result = await handler(call);
    return successResponse(result, facts.requestId);
  } catch (failure) {
    return failureResponse(toAppError(failure, host.context, facts.requestId), facts.language, facts.requestId);
  }
}

function checkRole(endpoint: Endpoint, caller: Caller | null): void {
  const required = requiredRole[endpoint.access];
  if (required === undefined) return;
  if (caller === null) throw new AppError('not_logged_in');
  if (caller.user.role < required) throw new AppError('forbidden');
}

function parse(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  if (issue === undefined || field === '') throw new AppError('invalid_parameter');
  throw new AppError('invalid_field', { field, rule: issue.message }, { field });
}

function successResponse(result: unknown, requestId: string): Response {
  const isAnswer = result instanceof Answer;
  const data: unknown = isAnswer ? result.data : result;
  const options = isAnswer ? result.options : {};
  const body = { success: true, message: options.message ?? '', ...(data === undefined ? {} : { data }), ...extraOf(options.extra) };
  return Response.json(body, {
    headers: { ...options.headers, 'cache-control': 'no-store', 'x-oneapi-request-id': requestId },
  });
}

function extraOf(extra: unknown): object {
  return typeof extra === 'object' && extra !== null ? extra : {};
}
