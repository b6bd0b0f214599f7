// A Responses request to a provider of the same format.
import { isObject } from '#server/framing/loose-json.ts';
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { describeRequest, finalizeRequest } from '../finalize-request.ts';
import { reasons } from '../reasoning-models.ts';

type Body = Readonly<Record<string, unknown>>;

export function forwardRequest(input: EncodeInput): EncodedRequest {
  const { body, rawText, way } = input;
  if (input.isPassThrough === true) return { ...describeRequest(body, input), body: Buffer.from(rawText), dropped: [] };
  return finalizeRequest({ body: stateless({ ...body, model: way.upstreamModel }, way.upstreamModel), dropped: [] }, input);
}

const encryptedThoughts = 'reasoning.encrypted_content';

/**
 * Nothing is kept at the provider: whoever has the channel's key could read it, and nobody here could ask for it again. The caller gets
 * its thoughts encrypted instead, and sends them back.
 */
function stateless(body: Body, model: string): Body {
  if (body['store'] === false) return body;
  const include = Array.isArray(body['include']) ? body['include'] : [];
  const isComplete = !reasons(model) || include.includes(encryptedThoughts);
  return { ...body, store: false, ...(isComplete ? {} : { include: [...include, encryptedThoughts] }) };
}

/** How much the model shall think, for the log. */
export function effortIn({ reasoning }: Body): string | undefined {
  return isObject(reasoning) && typeof reasoning.effort === 'string' ? reasoning.effort : undefined;
}
