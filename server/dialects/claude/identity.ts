// A Messages request to a provider of the same format, and its response.
import { outlineOf } from '#server/framing/json-outline.ts';
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

/** What must be known of a long one stands in its short members. */
export function* passLong(input: DecodeInput): Generator<void, DecodedWhole | FailedWhole> {
  const outline = yield* outlineOf(input.body, undefined);
  if (outline === null) return { kind: 'failed', error: null };
  const short = readByParts({ ...input, body: Buffer.from(outline.text) }, () => input.body);
  if (short.kind === 'failed') return short;
  const whole = () => {
    const read = passWhole(input);
    return read.kind === 'whole' ? read : short;
  };
  return { ...short, written: () => whole().written(), events: () => whole().events() };
}
