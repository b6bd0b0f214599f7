// A Messages request to a provider of the same format.
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { enveloped } from '../envelope.ts';
import { describeRequest, finalizeRequest } from '../finalize-request.ts';
import { fitThinking } from './thinking.ts';

export function forwardRequest(input: EncodeInput): EncodedRequest {
  const { body, rawText, clientBody, way } = input;
  if (input.isPassThrough !== true) return finalizeRequest({ body: { ...body, model: way.upstreamModel }, dropped: [] }, input);
  // Passed on as it is, but for what the account pays for.
  const fitting = body === clientBody ? body : fitThinking(body);
  const sent = enveloped(fitting, input);
  const text = sent === body ? rawText : JSON.stringify(sent);
  return { ...describeRequest(fitting, input), body: Buffer.from(text), dropped: [] };
}
