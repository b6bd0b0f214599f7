// A client's call as it goes to a channel: where to, with which headers, with what body.
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
  /** Null: the channel's provider has no such call. */
  route: ChannelRoute | null;
}

export interface UpstreamRequest extends SendRequest, Omit<EncodedRequest, 'headers' | 'isAsRequested'> {
  route: ChannelRoute;
  body: UpstreamBody;
  isStream: boolean;
  /** The provider answers later. Missing: at once. */
  awaiting?: Awaiting;
}

/**
 * All but its last step, `authorizeRequest`. A promise only where tokens have to be read.
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

/** In the other format where the first one cannot carry it. */
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

/** Where the other way cannot carry it either, the first one's words count. */
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

/** A promise only where the scheme takes one. @throws {SigningFailure} */
export function authorizeRequest(request: UpstreamRequest, signing: Signing): UpstreamRequest | Promise<UpstreamRequest> {
  return request.route.format.authorize(request, signing);
}

function openRequest(
  { channel, isStream: isStreamWanted }: Pick<UpstreamCall, 'channel' | 'isStream'>,
  route: ChannelRoute,
  encoded: EncodedRequest,
): UpstreamRequest {
  const isStream = isStreamWanted && encoded.isWhole !== true;
  const { gathering } = route.dialect;
  const isGathered = !isStream && route.provider.streamsOnly === true && gathering !== undefined;
  const headers = route.format.headers(isStream || isGathered);
  const path = encoded.isBatch === true ? route.batchPath : isStream ? route.streamPath : route.path;
  const awaiting = (encoded.createAwaiting ?? route.dialect.createAwaiting)?.({ path, isStream });
  const { body, upstreamModel, reasoningEffort, sentLimit, hostedLeast, hostedVariants, hostedIfCut, requestedTier, writesLong, dropped } =
    encoded;
  const { contents, files, streamType, doubtful } = encoded;
  return {
    // What was not overridden is not read by the override either.
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
    ...(route.dialect.socket === undefined ? {} : { socket: route.dialect.socket }),
    ...(awaiting === undefined ? {} : { awaiting }),
    ...(contents === undefined ? {} : { contents }),
    ...(streamType === undefined ? {} : { streamType }),
    ...(files === undefined ? {} : { files }),
    ...(doubtful === undefined ? {} : { doubtful }),
    ...(isGathered ? { createSieve: () => new EventSieve(route.framing, (event) => gathering.stores(event)) } : {}),
  };
}
