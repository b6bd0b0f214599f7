// A client's request as the channel's provider wants it: passed on where both speak the same format, else translated.
import { AppError } from '#shared/errors.ts';
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { RequestPlan } from './dialect-channel.ts';
import type { CallInput, EncodedRequest, EncodeInput } from './encode-input.ts';
import { finishRequest } from './finish-request.ts';
import type { ChatRequest } from './parts.ts';
import { boundBody } from './token-limits.ts';

/** @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request` */
export function encodeRequest(asked: CallInput, plan: RequestPlan): EncodedRequest {
  const { client, channel, capability, forceUsage, settings } = asked;
  const { dialect } = channel;
  const input = boundInput(asked);
  if (client.name === dialect.name) return dialect.identity.writeRequest(input, plan);
  if (capability !== 'chat') throw new AppError('format_unsupported');
  const written = dialect.writeRequest(limited(client.readRequest(input.body), input, plan), {
    upstreamModel: plan.upstreamModel,
    forceUsage: forceUsage && channel.provider?.quirks?.streamOptions !== undefined,
    settings,
  });
  return finishRequest(written, input, plan);
}

/** A format that demands a limit has one that fits its own models: others refuse a call that asks for more than they can write. */
function limited(request: ChatRequest, { originModel }: CallInput, { upstreamModel }: RequestPlan): ChatRequest {
  const most = maxOutputTokens(upstreamModel) ?? maxOutputTokens(originModel);
  if (most === null || request.maxTokens === undefined || request.maxTokens <= most) return request;
  return { ...request, maxTokens: most };
}

function boundInput(asked: CallInput): EncodeInput {
  const { body: clientBody, outputBound, client } = asked;
  if (outputBound === undefined) return { ...asked, clientBody };
  const body = boundBody(clientBody, outputBound, client.limitFields);
  return { ...asked, clientBody, body, rawText: JSON.stringify(body) };
}
