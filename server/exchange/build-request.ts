// Builds a channel's request for a client's call: URL, headers and body.
import { AppError } from '#shared/errors.ts';
import type { CallKind } from '#server/kinds/call-kind.ts';
import type { Awaiting } from '#server/formats/awaiting.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { thisChannel, untranslatable } from '#server/formats/losses.ts';
import type { Signing } from './auth/scheme.ts';
import { EventSieve } from './event-sieve.ts';
import type { ChannelRoute } from './find-route.ts';
import { headersTo } from './provider-headers.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendRequest, UpstreamBody } from './send.ts';
import { decodeTokens } from './token-estimate.ts';

export interface UpstreamCall extends Omit<CallInput, 'route'> {
  kind: CallKind;
  channel: PreparedChannel;
  /** Null if the provider does not support the call. */
  route: ChannelRoute | null;
  /** Headers that continue the call's trace; they replace none. */
  traceHeaders?: Readonly<Record<string, string>> | undefined;
}

export interface UpstreamRequest extends SendRequest, Omit<EncodedRequest, 'headers' | 'isAsRequested'> {
  route: ChannelRoute;
  body: UpstreamBody;
  isStream: boolean;
  /** Set if the provider responds later. */
  awaiting?: Awaiting | undefined;
}

/**
 * Builds everything but the authorization (`authorizeRequest`). Returns a promise only if tokens must be decoded.
 * @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request`
 */
export function buildRequest(call: UpstreamCall): UpstreamRequest | Promise<UpstreamRequest> {
  const { route } = call;
  if (route === null) throw new AppError('format_unsupported');
  if (call.searchingTool !== undefined && route.dialect.searchesStores !== true) throw untranslatable(call.searchingTool, thisChannel);
  const { withFunctions, facts } = route;
  if (withFunctions !== undefined && facts !== undefined && call.isPassThrough !== true) {
    const isRefused = route.dialect.hasRefusedFunctions?.(call.body, facts) === true;
    if (isRefused) return requestOnEither(withFunctions, route, call);
  }
  return route.otherwise === undefined ? requestOn(route, call) : requestOnEither(route, route.otherwise, call);
}

/** Falls back to the other format if the first cannot carry the call. */
function requestOnEither(first: ChannelRoute, other: ChannelRoute, call: UpstreamCall): UpstreamRequest | Promise<UpstreamRequest> {
  try {
    return requestOn(first, call);
  } catch (refusal) {
    if (!isUntranslatable(refusal)) throw refusal;
    return requestOtherwise(other, call, refusal);
  }
}

function requestOn(route: ChannelRoute, call: UpstreamCall): UpstreamRequest | Promise<UpstreamRequest> {
  const withoutFields = call.withoutFields ?? call.channel.refusedFields.of(route.upstreamModel);
  const encoded = call.kind.encode({ ...call, route, withoutFields }, (lists) => decodeTokens(lists, call.originModel));
  return encoded instanceof Promise ? encoded.then((request) => openRequest(call, route, request)) : openRequest(call, route, encoded);
}

/** If the fallback format cannot carry the call either, reports the first format's error. */
function requestOtherwise(route: ChannelRoute, call: UpstreamCall, refusal: AppError): UpstreamRequest | Promise<UpstreamRequest> {
  try {
    return requestOn(route, call);
  } catch (second) {
    throw isUntranslatable(second) ? refusal : second;
  }
}

function isUntranslatable(failure: unknown): failure is AppError {
  return failure instanceof AppError && failure.code === 'untranslatable';
}

/**
 * Returns a promise only if the scheme does.
 * @throws {SigningFailure}
 */
export function authorizeRequest(request: UpstreamRequest, signing: Signing): UpstreamRequest | Promise<UpstreamRequest> {
  return request.route.format.authorize(request, signing);
}

function openRequest(
  { channel, isStream: isStreamWanted, traceHeaders }: Pick<UpstreamCall, 'channel' | 'isStream' | 'traceHeaders'>,
  route: ChannelRoute,
  encoded: EncodedRequest,
): UpstreamRequest {
  const isStream = isStreamWanted && encoded.isWhole !== true;
  const { gathering } = route.dialect;
  const isGathered = !isStream && route.provider.streamsOnly === true && gathering !== undefined;
  const ofFormat = route.format.headers(isStream || isGathered);
  const headers = traceHeaders === undefined ? ofFormat : { ...traceHeaders, ...ofFormat };
  const path = encoded.isBatch === true ? route.batchPath : isStream ? route.streamPath : route.path;
  const awaiting = (encoded.createAwaiting ?? route.dialect.createAwaiting)?.({ path, isStream });
  const { body, upstreamModel, reasoningEffort, sentLimit, hostedLeast, hostedVariants, hostedIfCut, requestedTier, writesLong, dropped } =
    encoded;
  const { contents, files, streamType, doubtful } = encoded;
  return {
    // The body has no overrides applied, so the response must not be read with them.
    route: encoded.isAsRequested === true ? { ...route, paramOverride: null } : route,
    body,
    upstreamModel,
    reasoningEffort,
    sentLimit,
    hostedLeast,
    hostedVariants,
    hostedIfCut,
    requestedTier,
    writesLong,
    dropped,
    origin: route.origin,
    path,
    method: 'POST',
    headers: encoded.headers === null ? headers : headersTo(channel, headers, encoded.headers),
    isStream,
    proxy: channel.setting.proxy,
    framing: route.framing,
    socket: route.dialect.socket,
    awaiting,
    contents,
    streamType,
    files,
    doubtful,
    createSieve: isGathered ? () => new EventSieve(route.framing, (event) => gathering.stores(event)) : undefined,
  };
}
