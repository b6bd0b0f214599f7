// A client's call as it goes to a channel: where to, with which headers, with what body.
import { AppError } from '#shared/errors.ts';
import { encodeRequest } from '#server/dialects/encode-request.ts';
import type { CallInput, EncodedRequest } from '#server/dialects/encode-input.ts';
import type { PreparedChannel } from './prepared-channel.ts';
import type { SendRequest } from './send.ts';

export interface UpstreamCall extends CallInput {
  channel: PreparedChannel;
  /** Milliseconds. */
  now: number;
  /** `api-version` of the client's query. */
  version?: string;
}

export interface UpstreamRequest extends SendRequest, Omit<EncodedRequest, 'headers'> {
  body: Buffer;
  isStream: boolean;
  isMapped: boolean;
  /** The model thinks for long before its first token. */
  hasLongIdle: boolean;
}

/** A promise only where the authorisation takes one. @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request` */
export function buildRequest(call: UpstreamCall): UpstreamRequest | Promise<UpstreamRequest> {
  const { channel, isStream } = call;
  const plan = channel.plan(call.capability, call.originModel, call.version);
  if (plan === null) throw new AppError('format_unsupported');
  const encoded = encodeRequest(call, plan);
  const headers = channel.headers(isStream);
  const { body, upstreamModel, reasoningEffort, sentLimit, dropped } = encoded;
  const request: UpstreamRequest = {
    body,
    upstreamModel,
    reasoningEffort,
    sentLimit,
    dropped,
    origin: plan.origin,
    path: plan.path,
    method: 'POST',
    headers: encoded.headers === null ? headers : { ...headers, ...encoded.headers },
    isStream,
    isMapped: plan.isMapped,
    proxy: channel.setting.proxy,
    hasLongIdle: plan.hasLongIdle,
    framing: channel.framing,
  };
  return channel.authorize(request, call.now);
}
