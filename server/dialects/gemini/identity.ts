// A `generateContent` request to a provider of the same format.
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { describeRequest, finalizeRequest } from '../finalize-request.ts';

export function forwardRequest(input: EncodeInput): EncodedRequest {
  const { body, rawText } = input;
  if (input.isPassThrough !== true) return finalizeRequest({ body, dropped: [] }, input);
  return { ...describeRequest(body, input), body: Buffer.from(rawText), dropped: [] };
}
