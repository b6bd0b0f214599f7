// A Messages request to a provider of the same format, and its response.
import type { RequestPlan } from '../dialect-channel.ts';
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { readByParts } from '../decode-whole.ts';
import type { DecodedWhole, DecodeInput, FailedWhole } from '../decoded-whole.ts';
import { factsOf, finishRequest } from '../finish-request.ts';
import { fitThinking } from './thinking.ts';

export function passRequest(input: EncodeInput, plan: RequestPlan): EncodedRequest {
  const { body, rawText, clientBody } = input;
  if (input.isPassThrough !== true) return finishRequest({ body: { ...body, model: plan.upstreamModel }, dropped: [] }, input, plan);
  // Passed on as it is, but for what the account pays for.
  const fitting = body === clientBody ? body : fitThinking(body);
  const text = fitting === body ? rawText : JSON.stringify(fitting);
  return { ...factsOf(fitting, input, plan), body: Buffer.from(text), dropped: [] };
}

/** The provider's own bytes. */
export function passWhole(input: DecodeInput): DecodedWhole | FailedWhole {
  return readByParts(input, () => input.body);
}
