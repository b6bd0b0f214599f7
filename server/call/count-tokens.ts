// Handles token counts (`POST /v1/messages/count_tokens`), which are free. A provider that can count is requested; if there is
// none, or it fails, the gateway counts.
import { AppError } from '#shared/errors.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { Connection } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import { callerLanguage } from '#server/http/language.ts';
import { dropBody } from '#server/http/read-body.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { admitCall, type AdmittedCall, clientHeadersOf, type Progress } from '#server/call/admission/admit-call.ts';
import { noteRefusal } from '#server/call/admission/note-refusal.ts';
import type { PromptContent } from '#server/formats/prompt-content.ts';
import type { ConversationSource } from '#server/call/conversation-source.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import { wantsMedia } from '#server/call/remote-media/wanted-media.ts';
import { errorResponse, gatewayError, requestIdHeaders } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';
import { countedEndpoint, fitsChannel, openStages, type StageRun } from '#server/call/stages.ts';
import { httpTurn } from '#server/call/turn.ts';
import { resolveRoute } from '#server/exchange/resolve-route.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { type CallToSend, sendCall } from '#server/exchange/exchange.ts';
import { countPrompt, estimateTextTokens } from '#server/exchange/token-estimate.ts';

/** Limits of a provider's response; beyond them the gateway counts. */
const limits = { responseMs: 15_000, maxBytes: 64 * 1024 };

/** Responds to a token count. Never rejects: failures are reported in the caller's format. */
export async function countTokens(
  services: RelayServices,
  endpoint: RelayEndpoint,
  request: Request,
  connection: Connection | null,
  source?: ConversationSource,
  pathModel?: string,
): Promise<Response> {
  const { dialect, surface } = endpoint;
  const { context } = services;
  const requestId = newRequestId(context);
  const progress: Progress = { requestId, model: '' };
  try {
    const turn = httpTurn(services, endpoint, { request, connection, conversations: source, pathModel });
    const admitted = await admitCall(services, turn, progress);
    try {
      const stages = await openStages(services.stages.of(admitted.endpoint, admitted.admission), admitted);
      const called = countedEndpoint(admitted.endpoint, stages);
      const counted = called === admitted.endpoint ? admitted : { ...admitted, endpoint: called, prompt: null };
      const exact = await pollInTurn(services, admitted, () => requestProvider(services, counted, { stages, request, connection }));
      const { tokens, original } = exact ?? (await countHere(counted));
      return Response.json(dialect.writeTokenCount?.(tokens, original), {
        headers: {
          'cache-control': 'no-store',
          'x-tidegate-token-count': exact === null ? 'own' : 'upstream',
          ...requestIdHeaders(surface, requestId),
        },
      });
    } finally {
      admitted.content.release();
      admitted.conversation?.close();
    }
  } catch (failure) {
    if (connection !== null) dropBody(connection);
    const error = toAppError(failure, context, requestId);
    noteRefusal(services, error, { request, connection, requestId, progress });
    const reported = gatewayError(error, callerLanguage(request.headers), requestId);
    return errorResponse(surface, reported, requestId, error.retryAfter);
  }
}

/** Maximum concurrent requests of a user: agents send dozens of counts at once, and all users share a channel's connections. */
const mostRequestsOfUser = 4;
const requesting = new WeakMap<RelayServices, Map<number, number>>();

/** Requests a count from a provider; null if the user has too many such requests in progress. */
async function pollInTurn(
  services: RelayServices,
  { admission }: AdmittedCall,
  ask: () => Promise<CountedPrompt | null>,
): Promise<CountedPrompt | null> {
  const asks = requesting.get(services) ?? new Map<number, number>();
  requesting.set(services, asks);
  const { id } = admission.user;
  const running = asks.get(id) ?? 0;
  if (running >= mostRequestsOfUser) return null;
  asks.set(id, running + 1);
  try {
    return await ask();
  } finally {
    const left = (asks.get(id) ?? 1) - 1;
    if (left === 0) asks.delete(id);
    else asks.set(id, left);
  }
}

interface CountedPrompt {
  tokens: number;
  /** Tokens before prompt edits; undefined if none were requested. */
  original: number | undefined;
}

async function countHere({ endpoint, content, requested, admission, prompt }: AdmittedCall): Promise<CountedPrompt> {
  const { model } = requested;
  const owner = admission.user.id;
  const countOf = (counted: PromptContent) => countPrompt(counted, model, { owner, isEstimated: false });
  const tokens = await countOf(prompt ?? endpoint.promptContent(content.body, model));
  const edits = endpoint.promptEdits?.(content.body) ?? null;
  if (edits === null) return { tokens, original: undefined };
  const { body } = await content.use(() => edits.apply(content.body, tokens, estimateTextTokens));
  return { tokens: body === null ? tokens : await countOf(endpoint.promptContent(body, model)), original: tokens };
}

interface Routed {
  channel: PreparedChannel;
  route: ChannelRoute;
}

/** Requests a count; null if the gateway must count, e.g. after an error of the provider. */
async function requestProvider(
  services: RelayServices,
  { endpoint, content, requested: { model }, admission }: AdmittedCall,
  { stages, request, connection }: { stages: readonly StageRun[]; request: Request; connection: Connection | null },
): Promise<CountedPrompt | null> {
  const { context, channels, health, keys } = services;
  const caller = admission.user.id;
  const isOwn = ({ route }: Routed) => route.identity !== null;
  const all = channels
    .tiers(admission.group, model)
    .flatMap((tier) => tier.channels)
    .filter((channel) => fitsChannel(stages, channel) && health.factor(channel.id, model, caller) > 0)
    .map((channel) => keys.anyOf(channel, { model, caller }))
    .flatMap((channel): Routed[] => {
      const route = resolveRoute(channel, { client: endpoint.dialect, kind: endpoint.kind, model });
      return route === null ? [] : [{ channel, route }];
    });
  // For prompt edits, a provider of another format would need two requests.
  const isAsItIs = (endpoint.promptEdits?.(content.body) ?? null) === null;
  const found = all.find(isOwn) ?? (isAsItIs ? all.find(({ route }) => route.dialect.countBody !== undefined) : undefined);
  if (found === undefined || admission.pinnedChannel !== undefined) return null;
  const { channel, route } = found;
  // Media are not downloaded for a count.
  if (wantsMedia({ settings: services.context.settings, endpoint, body: content.body }, route)) return null;
  try {
    const call: CallToSend = {
      client: endpoint.dialect,
      clientHeaders: clientHeadersOf(endpoint, request.headers),
      kind: endpoint.kind,
      channel,
      route,
      body: content.body,
      rawText: content.text,
      longTexts: content.longTexts(),
      budget: () => content.budget(),
      originModel: model,
      isStream: false,
      forceUsage: false,
      settings: context.settings,
    };
    for (const stage of stages) stage.request?.(call, channel);
    const isWanted = () => connection === null || !(connection.res.closed || connection.res.destroyed);
    const { sending, received, request: sent } = await sendCall(context, call, { limits, isWanted });
    connection?.res.once('close', () => sending.abort());
    const response = await received;
    if (response.kind === 'stream') response.stream.abort();
    if (response.kind !== 'whole') return null;
    const reported = parseObject(response.body.toString('utf8')) ?? {};
    const tokens = sent.route.dialect.readTokenCount?.(reported);
    return tokens === undefined ? null : { tokens, original: sent.route.dialect.readOriginalTokenCount?.(reported) };
  } catch (failure) {
    // A request that another format cannot express is counted by the gateway.
    if (failure instanceof AppError && isOwn(found)) throw failure;
    return null;
  }
}
