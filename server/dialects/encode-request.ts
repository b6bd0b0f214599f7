// A client's request as the channel's provider wants it: passed on where both speak the same format, else translated.
import { AppError } from '#shared/errors.ts';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { CallInput, EncodedRequest, EncodeInput } from './encode-input.ts';
import { finalizeRequest } from './finalize-request.ts';
import type { ChatRequest } from './parts.ts';
import { withoutSurcharges } from './surcharges.ts';

/** @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request` */
export function encodeRequest(asked: CallInput): EncodedRequest {
  const { client, way, capability, forceUsage, settings } = asked;
  if (way.identity !== null) {
    const { call, dropped } = withoutSurcharges(asked);
    const encoded = way.identity.writeRequest(boundInput(call));
    return dropped.length === 0 ? encoded : { ...encoded, dropped: [...dropped, ...encoded.dropped] };
  }
  const input = boundInput(asked);
  if (capability !== 'chat') throw new AppError('format_unsupported');
  const written = way.dialect.writeRequest(limited(client.readRequest(input.body), input), {
    upstreamModel: way.upstreamModel,
    forceUsage: forceUsage && way.provider.quirks?.streamOptions !== undefined,
    settings,
  });
  return finalizeRequest(written, input);
}

/** A format that demands a limit has one that fits its own models: others refuse a call that asks for more than they can write. */
function limited(request: ChatRequest, { originModel, way: { upstreamModel } }: CallInput): ChatRequest {
  const most = maxOutputTokens(upstreamModel) ?? maxOutputTokens(originModel);
  if (most === null || request.maxTokens === undefined || request.maxTokens <= most) return request;
  return { ...request, maxTokens: most };
}

function boundInput(asked: CallInput): EncodeInput {
  const { body: clientBody, outputBound, client } = asked;
  if (outputBound === undefined) return { ...asked, clientBody };
  const body = client.limits.bound(clientBody, outputBound);
  return { ...asked, clientBody, body, rawText: JSON.stringify(body) };
}
