// Every router, in order: the URL map on one screen.
import path from 'node:path';
import { AppError, type ErrorCode, errorText } from '#shared/errors.ts';
import { isRelayPath, isServerPath } from '#shared/paths.ts';
import type { AppContext } from '#server/context.ts';
import { mountAccount } from '#server/features/account/routes.ts';
import { mountAuditLog } from '#server/features/audit-log/routes.ts';
import { mountBills } from '#server/features/provider-bills/routes.ts';
import { mountBackups } from '#server/features/backups/routes.ts';
import { mountChannels } from '#server/features/channels/routes.ts';
import { mountDashboard } from '#server/features/dashboard/routes.ts';
import { mountDrawings } from '#server/features/drawings/routes.ts';
import { mountFirstCall } from '#server/features/first-call/routes.ts';
import { mountGroups } from '#server/features/groups/routes.ts';
import { personOf } from '#server/http/call.ts';
import { mountScim } from '#server/slices/scim/routes.ts';
import { mountOrganisations } from '#server/features/organisations/routes.ts';
import { mountInvitations } from '#server/features/invitations/routes.ts';
import { mountNotifications } from '#server/features/notifications/routes.ts';
import { mountLogs } from '#server/features/logs/routes.ts';
import { mountModels } from '#server/features/models/routes.ts';
import { mountOAuth } from '#server/features/oauth/routes.ts';
import { mountOptions } from '#server/features/options/routes.ts';
import { mountRedemptions } from '#server/features/redemptions/routes.ts';
import { mountSession } from '#server/features/session/routes.ts';
import { mountSetup } from '#server/features/setup/routes.ts';
import { mountSite } from '#server/features/site/routes.ts';
import { mountTasks } from '#server/features/tasks/routes.ts';
import { mountTokens } from '#server/features/tokens/routes.ts';
import { mountStatements } from '#server/features/statements/routes.ts';
import { mountUsers } from '#server/features/users/routes.ts';
import { mountVerification } from '#server/features/verification/routes.ts';
import { mountWallet } from '#server/features/wallet/routes.ts';
import type { Connection } from '#server/http/connection.ts';
import { allowOrigin, isOpenToOrigins, preflightResponse } from '#server/http/cross-origin.ts';
import { failureHeaders, toAppError } from '#server/http/failure.ts';
import { mountHealth } from '#server/http/health-routes.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { type DirectResponse, fetchResponse } from '#server/http/lean-response.ts';
import { mountOpenApi } from '#server/http/openapi.ts';
import { limitCaller } from '#server/http/rate-limit.ts';
import { createFactReader, requestPath } from '#server/http/request-facts.ts';
import { createListeners, type Listeners } from '#server/http/request-listener.ts';
import { logRequest } from '#server/http/request-log.ts';
import { createRouter } from '#server/http/router.ts';
import { identify } from '#server/http/session.ts';
import { createStaticFiles } from '#server/http/static-files.ts';
import { siteIdentity } from '#server/settings/site-logo.ts';
import { mountImports } from '#server/slices/imports/routes.ts';
import { createCallStages } from '#server/call-stages.ts';
import { createRelay, type Relay } from '#server/call/create-relay.ts';
import { surfaceAt, isMissingKind } from '#server/call/endpoints.ts';
import { mountAppAuthorizations } from '#server/slices/app-authorizations/routes.ts';
import { mountAsCode } from '#server/slices/as-code/as-code-routes.ts';
import { mountPrices } from '#server/slices/prices/routes.ts';
import { mountKeyUsage } from '#server/slices/budgets/key-usage.ts';
import { mountBudgets } from '#server/slices/budgets/routes.ts';
import { mountRateLimits } from '#server/slices/rate-limits/routes.ts';
import { mountMetrics } from '#server/slices/metrics/metrics-routes.ts';
import { watchRelay } from '#server/slices/metrics/watch-relay.ts';
import { mountStatusPage } from '#server/slices/status-page/routes.ts';
import { mountMidjourney } from '#server/slices/drawings/routes.ts';
import { mountGeminiVideos } from '#server/slices/videos/gemini-routes.ts';
import { mountJimeng } from '#server/slices/videos/jimeng-routes.ts';
import { mountKling } from '#server/slices/videos/kling-routes.ts';
import { mountVideos } from '#server/slices/videos/routes.ts';
import { mountVideoContents } from '#server/slices/videos/console-content.ts';
import { mountSuno } from '#server/slices/music/routes.ts';
import { errorResponse } from '#server/call/relay-failure.ts';
import { mountRelay } from '#server/call/routes.ts';
import { BackgroundResponses } from '#server/slices/responses/background.ts';
import { createFollow } from '#server/slices/responses/follow.ts';
import { mountContextCaches } from '#server/slices/context-caches/cache-routes.ts';
import { mountTuning } from '#server/slices/fine-tuning/tuning-routes.ts';
import { mountBatches } from '#server/slices/batches/batch-routes.ts';
import { batchFiles, mountGeminiBatches } from '#server/slices/batches/gemini-routes.ts';
import { mountMessageBatches } from '#server/slices/batches/message-batch-routes.ts';
import { noteHolders } from '#server/slices/vector-stores/look-at-store.ts';
import { mountVectorStores } from '#server/slices/vector-stores/store-routes.ts';
import { mountFiles } from '#server/slices/files/file-routes.ts';
import { mountUploads } from '#server/slices/files/upload-routes.ts';
import { mountConversations } from '#server/slices/responses/conversation-routes.ts';
import { ConversationStore } from '#server/slices/responses/conversation-store.ts';
import { createInteractionSource, interactionPrefix } from '#server/slices/responses/interactions/interaction-source.ts';
import { mountThreads } from '#server/slices/responses/threads/routes.ts';
import { createThreadSource, messagePrefix } from '#server/slices/responses/threads/thread-source.ts';
import { mountInteractions } from '#server/slices/responses/interactions/routes.ts';
import { createResponseSource } from '#server/slices/responses/response-source.ts';
import { ResponseStore } from '#server/slices/responses/response-store.ts';
import { mountResponses } from '#server/slices/responses/routes.ts';

export interface App {
  fetch(request: Request, connection: Connection | null): Promise<Response>;
  /** What is mounted, as `METHOD path`. */
  routes: readonly string[];
  /** For `node:http`. */
  listeners: Listeners;
  /** Open now. */
  sockets: { readonly size: number };
  /** From now on new requests are refused with 503. */
  drain(): void;
  /** Another process has taken over: each open connection is closed after its next response, and WebSockets after their calls. */
  retire(): void;
  /** Ends open streams with a word on why. */
  shutDown(): void;
}

const consoleFolder = path.resolve(import.meta.dirname, '../dist/console');

/** In the order in which paths are tried; an unmounted path is a file of the console. */
function mountRoutes(host: RouteHost, relay: Relay): void {
  const store = new ResponseStore(host.context);
  const conversations = new ConversationStore(host.context, store);
  const background = new BackgroundResponses(host.context, store);
  const interactions = new ResponseStore(host.context, interactionPrefix);
  const interactionRuns = new BackgroundResponses(host.context, interactions);
  const follow = createFollow(host.context, [background, interactionRuns], host.draining);
  const ofInteractions = { store: interactions, background: interactionRuns, follow };
  // Unsettled background responses cost nothing, and callers get an error; a server does not take hours to end.
  for (const each of [background, ofInteractions.background]) host.draining.addEventListener('abort', () => each.shutDown());
  const responses = createResponseSource(host.context, { store, conversations, background, follow });
  const turns = new ResponseStore(host.context, messagePrefix);
  const threads = createThreadSource(host.context, turns);
  const sources = { responses, interactions: createInteractionSource(host.context, ofInteractions), threads };
  const geminiBatches = mountGeminiBatches(host, relay.services); // /v1beta/batches
  const verbs = {
    ...mountGeminiVideos(host, relay.services, batchFiles(relay.services)), // /v1beta/models/:model/operations/:operation, files/:file
    ...geminiBatches.verbs,
  };
  mountRelay(host, relay, { sources, verbs }); // /v1, /v1beta
  mountThreads(host, relay.services, turns); // /v1/messages/:message
  mountInteractions(host, relay.services, ofInteractions); // /v1/interactions/:interaction, /v1beta/
  mountFiles(host, relay.services, (file) => noteHolders(host.context, file)); // /v1/files
  mountUploads(host, relay.services); // /v1/uploads
  mountBatches(host, relay.services, geminiBatches.handlers); // /v1/batches
  mountVectorStores(host, relay.services); // /v1/vector_stores
  mountContextCaches(host, relay.services); // /v1beta/cachedContents, /v1/cachedContents
  mountTuning(host, relay.services); // /v1/fine_tuning/jobs
  mountMessageBatches(host, relay.services); // /v1/messages/batches
  mountConversations(host, relay.services, { store, conversations }); // /v1/conversations
  mountResponses(host, relay.services, { store, background, follow }); // /v1/responses/:response
  mountKeyUsage(host, relay.services); //  /v1/usage, /v1/key, /key/info
  mountMidjourney(host, relay.services); // /mj, /<mode>/mj
  mountVideos(host, relay.services); //    /v1/videos, /v1/video/generations
  mountVideoContents(host, relay.services); // /pg/tasks/:id/content
  mountKling(host, relay.services); //     /kling/v1/videos
  mountJimeng(host, relay.services); //    /jimeng
  mountSuno(host, relay.services); //      /suno
  mountSite(host); //                      /api/status, notice, about, home_page_content
  mountStatusPage(host); //                /api/status/page, /status.rss, /status.json
  mountSetup(host); //                     /api/setup
  mountSession(host); //                   /api/user/login, register, logout
  mountOAuth(host); //                     /api/oauth/
  mountVerification(host); //              /api/verification, reset_password
  mountAccount(host); //                   /api/user/self, models, self/groups
  mountGroups(host); //                    /api/group/uses, move, rename, remove
  mountOrganisations(host); //             /api/organisation/
  mountInvitations(host); //               /api/invitation/
  mountScim(host); //                      /scim/v2
  mountAppAuthorizations(host); //         /api/app_authorization/, /oauth/token, device_authorization, /v1/auth/keys, /setup.sh
  mountAsCode(host); //                    /api/as_code/
  mountBackups(host); //                   /api/backup/
  mountImports(host); //                   /api/import/
  mountBudgets(host); //                   /api/budget/
  mountRateLimits(host); //                /api/rate_limit/
  mountPrices(host); //                    /api/price/sync, plan, history, list
  mountBills(host); //                     /api/bill/
  mountUsers(host); //                     /api/user/, search, manage, :id
  mountTokens(host); //                    /api/token/, /api/user_token/
  mountRedemptions(host); //               /api/redemption/, /api/user/topup
  mountStatements(host); //               /api/user/self/statement, :id/statement
  mountWallet(host); //                    /api/user/topup/, amount, pay, epay/notify
  mountChannels(host); //                  /api/channel/
  mountFirstCall(host, relay.services); // /api/first-call
  mountLogs(host); //                      /api/log/
  mountDrawings(host); //                  /api/mj/
  mountTasks(host); //                     /api/task/
  mountNotifications(host); //             /api/user/notifications, option/test_mail
  mountDashboard(host); //                 /api/data/
  mountModels(host); //                    /api/pricing, group, models
  mountOptions(host); //                   /api/option/
  mountAuditLog(host); //                  /api/audit_log/
  mountOpenApi(host); //                   /api/openapi.json
  mountHealth(host); //                    /livez, readyz, healthz
  mountMetrics(host); //                   /metrics
}

export function createApp(context: AppContext, options: { consoleFolder?: string } = {}): App {
  const router = createRouter();
  const draining = new AbortController();
  const leaving = new AbortController();
  const host: RouteHost = {
    context,
    facts: createFactReader(context),
    identify: (facts, endpoint) => identify(context, facts, endpoint),
    limit: (facts, caller) => limitCaller(context, facts, caller === null ? undefined : personOf(caller).id),
    add: router.add,
    addDirect: router.addDirect,
    draining: draining.signal,
    leaving: leaving.signal,
    endpoints: [],
  };

  const relay = watchRelay(context, createRelay(context, createCallStages(context)));
  mountRoutes(host, relay);
  const files = createStaticFiles(context, options.consoleFolder ?? consoleFolder, () => siteIdentity(context.settings));
  const refuse = createRefuser(host);
  let isDraining = false;
  let isRetiring = false;

  async function serveOther(request: Request, connection: Connection | null, pathname: string): Promise<Response> {
    const missing: ErrorCode = 'invalid_url';
    if (isMissingKind(pathname)) return refuse(request, connection, new AppError('verb_unknown', { path: pathname }));
    if (isServerPath(pathname)) return refuse(request, connection, new AppError(missing));
    const response = await files.serve(request, pathname);
    if (response === null) return refuse(request, connection, new AppError(missing));
    response.headers.set('x-oneapi-request-id', host.facts(request, connection).requestId);
    return response;
  }

  async function serve(request: Request, connection: Connection | null): Promise<DirectResponse> {
    const startedAt = context.now();
    const pathname = requestPath(request, connection);
    try {
      if (isDraining) {
        connection?.res.setHeader('connection', 'close');
        return refuse(request, connection, new AppError('shutting_down', {}, { retryAfter: 1 }));
      }
      if (isRetiring && connection !== null) {
        connection.res.shouldKeepAlive = false;
        if (connection.upgrade !== undefined) return refuse(request, connection, new AppError('shutting_down', {}, { retryAfter: 1 }));
      }
      if (connection !== null && isWithoutHost(connection)) {
        connection.res.setHeader('connection', 'close');
        return refuse(request, connection, new AppError('host_missing'));
      }
      if (connection?.req.headers.origin !== undefined && isOpenToOrigins(pathname)) {
        if (request.method === 'OPTIONS') return preflightResponse(request, host.facts(request, connection).requestId);
        allowOrigin(connection);
      }
      const response = (await router.match(request, pathname, connection)) ?? (await serveOther(request, connection, pathname));
      if (pathname.startsWith('/api/')) logRequest(context, { request, path: pathname, response, connection, startedAt });
      return response;
    } catch (failure) {
      return refuse(request, connection, failure);
    }
  }

  return {
    fetch: (request, connection) => serve(request, connection).then(fetchResponse),
    routes: router.routes,
    listeners: createListeners(context, { serve, isDirect: router.isDirect }),
    sockets: relay.sockets,
    drain: () => {
      isDraining = true;
      leaving.abort();
      draining.abort();
      relay.drain();
    },
    retire: () => {
      isRetiring = true;
      leaving.abort();
      relay.retire();
    },
    shutDown: () => relay.shutDown(),
  };
}

/** API clients get an error in their own format; elsewhere one of OpenAI's is added to the console's envelope. */
function createRefuser(host: RouteHost): (request: Request, connection: Connection | null, failure: unknown) => Response {
  return (request, connection, failure) => {
    const { requestId, language, url } = host.facts(request, connection);
    const error = toAppError(failure, host.context, requestId);
    const message = errorText(error.code, language, { method: request.method, path: url.pathname, ...error.details });
    const type = error.status >= 500 ? 'new_api_error' : 'invalid_request_error';
    const object = { message, type, param: '', code: error.code };
    if (isRelayPath(url.pathname)) {
      return errorResponse(surfaceAt(url.pathname, request.headers), { ...object, status: error.status }, requestId, error.retryAfter);
    }
    const body = { success: false, message, code: error.code, error: object };
    return Response.json(body, { status: error.status, headers: failureHeaders(error, requestId) });
  };
}

/** RFC 9112, 3.2: such a request of HTTP/1.1 is answered with 400. */
function isWithoutHost({ req }: Connection): boolean {
  return req.headers.host === undefined && req.httpVersion === '1.1';
}
