// A Messages request to a provider of the same format, and its whole response.
import { bytesOfJson, writeJson } from '#server/framing/long-json.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from '../decoded-whole.ts';
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { enveloped } from '../wrap-body.ts';
import { describeRequest, finalizeRequest } from '../finalize-request.ts';
import { eventsWithContainer, mayTellContainer, toldContainer } from './containers.ts';
import { withoutOwnSummaries } from './compaction.ts';
import { ownThoughts } from './foreign-thinking.ts';
import { thoughtsRule } from '../thoughts-rule.ts';
import { fitThinking } from './thinking.ts';

export function forwardRequest(input: EncodeInput): EncodedRequest {
  const { body, rawText, clientBody, way } = input;
  if (input.isPassThrough !== true) {
    const own = ownThoughts(withoutOwnSummaries(body), {
      signsAll: way.provider.attribution !== 'drop',
      isFilled: thoughtsRule(input)?.placeholders?.some(({ models }) => models.test(way.upstreamModel)) === true,
    });
    return finalizeRequest({ body: { ...own.body, model: way.upstreamModel }, dropped: own.dropped }, input);
  }
  // Passed on as it is, but for what the account pays for.
  const fitting = body === clientBody ? body : fitThinking(body);
  const described = describeRequest(fitting, input);
  const { body: sent, headers, dropped } = enveloped(fitting, described.headers, input);
  const text = sent === body ? rawText : writeJson(sent, input.longTexts);
  return { ...described, headers, body: bytesOfJson(text, input.longTexts), dropped };
}

/** The container in it under the name that its caller may use; where it is told as a stream, that does so. */
export function withToldContainer<Decoded extends DecodedWhole | DeepWhole | FailedWhole>(
  { body, tellObject }: DecodeInput,
  decoded: Decoded,
): Decoded {
  if (decoded.kind !== 'whole' || !mayTellContainer(body)) return decoded;
  const message = () => parseObject(body.toString('utf8'));
  const events = () => eventsWithContainer(decoded.events(), message());
  if (tellObject === undefined) return { ...decoded, events };
  return { ...decoded, events, body: () => toldContainer(body, message(), tellObject) };
}
