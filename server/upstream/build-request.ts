// A client's call as it goes to a channel: where to, with which headers, with what body.
import { AppError } from '#shared/errors.ts';
import type { CallKind } from '#server/calls/call-kind.ts';
import type { CallInput, EncodedRequest } from '#server/dialects/encode-input.ts';
import type { ChannelWay } from './find-way.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendRequest } from './send.ts';
import { decodeTokens } from './token-estimate.ts';

export interface UpstreamCall extends Omit<CallInput, 'way'> {
  kind: CallKind;
  channel: PreparedChannel;
  /** Milliseconds. */
  now: number;
  /** `api-version` of the client's query. */
  version?: string;
}

export interface UpstreamRequest extends SendRequest, Omit<EncodedRequest, 'headers'> {
  way: ChannelWay;
  body: Buffer;
  isStream: boolean;
}

/**
 * A promise only where the authorisation takes one, or tokens have to be read.
 * @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request`
 */
export function buildRequest(call: UpstreamCall): UpstreamRequest | Promise<UpstreamRequest> {
  const { kind, channel, client } = call;
  const setting = channel.provider?.versionSetting;
  const versions = setting === undefined ? undefined : call.settings.get(setting);
  const way = channel.way(client, kind.name, call.originModel, { version: call.version, versions });
  if (way === null) throw new AppError('format_unsupported');
  const encoded = kind.encode({ ...call, way }, (lists) => decodeTokens(lists, call.originModel));
  const authorize = (request: EncodedRequest) => authorizedRequest(call, way, request);
  return encoded instanceof Promise ? encoded.then(authorize) : authorize(encoded);
}

function authorizedRequest(
  { channel, isStream, now }: UpstreamCall,
  way: ChannelWay,
  encoded: EncodedRequest,
): UpstreamRequest | Promise<UpstreamRequest> {
  const headers = way.format.headers(isStream);
  const { body, upstreamModel, reasoningEffort, sentLimit, dropped, isBatch } = encoded;
  const request: UpstreamRequest = {
    way,
    body,
    upstreamModel,
    reasoningEffort,
    sentLimit,
    dropped,
    origin: way.origin,
    path: isBatch === true ? way.batchPath : isStream ? way.streamPath : way.path,
    method: 'POST',
    headers: encoded.headers === null ? headers : { ...headers, ...encoded.headers },
    isStream,
    proxy: channel.setting.proxy,
    framing: way.framing,
  };
  return way.format.authorize(request, now);
}
