// The relay's URL map: model lists, and every endpoint of `endpoints.ts`.
import { AppError } from '#shared/errors.ts';
import type { ApiSurface } from '#server/surfaces/api-surface.ts';
import { defaultSurface, surfaceOf, surfaces } from '#server/surfaces/registry.ts';
import type { Connection } from '#server/http/connection.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { toAppError } from '#server/http/failure.ts';
import { mountBilling } from '#server/call/dashboard-billing.ts';
import { countTokens } from '#server/call/count-tokens.ts';
import type { Relay } from '#server/call/create-relay.ts';
import type { ConversationSources } from '#server/call/conversation-source.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { realtimeEndpoint, type RelayEndpoint, relayEndpoints } from '#server/call/endpoints.ts';
import { giveSecret } from '#server/call/realtime/give-secret.ts';
import { hasModel, listedModel, modelsOf, tagOf } from '#server/call/model-list.ts';
import { splitVerb } from '#server/call/path-pattern.ts';
import { relay as relayCall } from '#server/call/relay.ts';
import { errorResponse, gatewayError, requestIdHeaders } from '#server/call/relay-failure.ts';

/** Handlers of requests to a model other than calls, by the verb in the path. */
export type ModelVerbs = Readonly<
  Record<string, (request: Request, model: string, connection: Connection | null) => Promise<DirectResponse>>
>;

interface Further {
  /** Sources of stored state that calls refer to. */
  sources: ConversationSources;
  /** Verbs on paths of Gemini's models. */
  verbs: ModelVerbs;
}

export function mountRelay(host: RouteHost, { services, sockets }: Relay, { sources, verbs }: Further): void {
  mountBilling(host, services);
  mountCalls(host, services, { sources, verbs });

  // Claude Code checks whether the server responds, before it has a key. Not a direct route, which would apply to all of `/api`.
  for (const method of ['HEAD', 'GET'] as const) {
    host.add(method, '/api/hello', () => Promise.resolve(new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })));
  }

  for (const endpoint of relayEndpoints) {
    if (endpoint.socket === undefined) continue;
    // A request without an upgrade, which a proxy may have removed, gets an error: Codex then falls back to HTTP at once.
    const conversations = sources[endpoint.refersToStored ?? 'responses'];
    host.addDirect('GET', endpoint.path, (request, _params, connection) => sockets.open({ endpoint, request, connection, conversations }));
  }

  mountRealtime(host, { services, sockets });

  /** @param own surface of the path; undefined if the client's headers determine it */
  async function listing(
    { request, connection, own }: { request: Request; connection: Connection | null; own: ApiSurface | undefined },
    write: (names: readonly string[], surface: ApiSurface, query: URLSearchParams) => object,
  ): Promise<Response> {
    const { requestId, language, url, ip } = host.facts(request, connection);
    const surface = own ?? surfaceOf(request.headers, url.searchParams);
    try {
      const admission = await services.gate.admit(request);
      services.gate.checkUse(admission, ip);
      const list = write(await namesFor(admission, surface), surface, url.searchParams);
      const tag = surface.modelTag === undefined ? undefined : tagOf(list);
      const headers: Record<string, string> = { 'cache-control': 'no-store', ...requestIdHeaders(surface, requestId) };
      if (tag !== undefined) Object.assign(headers, { 'cache-control': 'private, no-cache', etag: tag });
      if (tag !== undefined && request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers });
      return Response.json(list, { headers });
    } catch (failure) {
      const error = toAppError(failure, services.context, requestId);
      return errorResponse(surface, gatewayError(error, language, requestId), requestId, error.retryAfter);
    }
  }

  /** Returns the models to list. The caller's private models are listed only if the list has no tag: a tag is shared by callers. */
  async function namesFor(admission: Admission, surface: ApiSurface): Promise<readonly string[]> {
    const names = modelsOf(services, admission);
    if (admission.models !== null || surface.modelTag !== undefined) return names;
    const own = await services.stages.modelsOf(admission);
    return own.length === 0 ? names : [...names, ...own];
  }

  for (const { path, own } of modelLists) {
    host.addDirect('GET', path, (request, _params, connection) =>
      listing({ request, connection, own }, (names, surface, query) => surface.writeModelList(names.map(listedModel), query)),
    );
    // Model names may contain slashes, which clients send escaped or not.
    host.addDirect('GET', `${path}/:model+`, (request, { model = '' }, connection) =>
      listing({ request, connection, own }, (names, surface) => {
        if (!hasModel(names, model)) throw new AppError('model_not_found', { model }, { field: 'model' });
        return surface.writeModel(listedModel(model));
      }),
    );
  }
}

/** Mounts every endpoint, and other requests to models on the same paths. */
function mountCalls(host: RouteHost, services: Relay['services'], { sources, verbs }: Further): void {
  for (const [route, endpoints] of Map.groupBy(relayEndpoints, ({ pattern }) => pattern.route)) {
    host.addDirect('POST', route, (request, { model: named }, connection) => {
      const { endpoint, model } = endpointFor(endpoints, named);
      if (endpoint === undefined) {
        const requested = splitVerb(named ?? '');
        const serve = modelRoutes.has(route) && Object.hasOwn(verbs, requested.verb ?? '') ? verbs[requested.verb ?? ''] : undefined;
        if (serve !== undefined) return serve(request, requested.model, connection);
        // Without a verb, the path is not a request to a model in any format.
        if (requested.verb === undefined) return Promise.reject(new AppError('invalid_url'));
        return Promise.resolve(notServed(request, endpoints[0]?.surface, connection));
      }
      const answerCall = endpoint.kind.isCount ? countTokens : relayCall;
      const source = endpoint.refersToStored === undefined ? undefined : sources[endpoint.refersToStored];
      return answerCall(services, endpoint, request, connection, source, model);
    });
  }

  /** Responds to a request that the format has and the gateway does not serve; SDKs do not retry it. */
  function notServed(request: Request, surface: ApiSurface | undefined, connection: Connection | null): Response {
    const { requestId, language, url } = host.facts(request, connection);
    const error = gatewayError(new AppError('verb_unknown', { path: url.pathname }), language, requestId);
    return errorResponse(surface ?? defaultSurface, error, requestId);
  }
}

/** Mounts realtime sessions, and the client secrets that open them. */
function mountRealtime(host: RouteHost, { services, sockets }: Pick<Relay, 'services' | 'sockets'>): void {
  for (const form of ['client_secrets', 'sessions', 'transcription_sessions'] as const) {
    host.addDirect('POST', `${realtimeEndpoint.path}/${form}`, (request, _params, connection) =>
      giveSecret(services, request, { connection, form }),
    );
  }
  host.addDirect('GET', realtimeEndpoint.path, (request, _params, connection) =>
    sockets.openSession({ endpoint: realtimeEndpoint, request, connection }),
  );
}

/** Paths of Gemini's models. */
const modelRoutes: ReadonlySet<string> = new Set(['/v1beta/models/:model+', '/v1/models/:model+']);

const modelLists: readonly { path: string; own: ApiSurface | undefined }[] = [
  { path: '/v1/models', own: undefined },
  { path: '/v1beta/models', own: surfaces.gemini },
];

/** Selects the endpoint of a route by the verb after the model. */
function endpointFor(endpoints: readonly RelayEndpoint[], named: string | undefined): { endpoint?: RelayEndpoint; model?: string } {
  const [first] = endpoints;
  if (named === undefined || first === undefined) return { endpoint: first, model: named };
  const { pattern } = first;
  if (pattern.verb === undefined) return { endpoint: first, model: pattern.modelOf(named) };
  const { model, verb } = splitVerb(named);
  return { endpoint: endpoints.find((one) => one.pattern.verb === verb), model: pattern.modelOf(model) };
}
