// Identity path of Messages: request and complete response.
import { bytesOfJson, writeJson } from '#server/framing/long-json.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { DecodeInput, DeepWhole, FailedWhole, ForwardedWhole } from '../decoded-whole.ts';
import type { EncodedRequest, EncodeInput } from '../encode-input.ts';
import { wrapBody } from '../wrap-body.ts';
import { describeRequest, finalizeRequest } from '../finalize-request.ts';
import { eventsWithContainer, mayPresentContainer, presentContainer } from './containers.ts';
import { withoutGatewaySummaries } from './compaction.ts';
import { foreignThinking } from './foreign-thinking.ts';
import { thoughtsRule } from '../thoughts-rule.ts';
import { fitThinking } from './thinking.ts';

export function forwardRequest(input: EncodeInput): EncodedRequest {
  const { body, rawText, clientBody, route } = input;
  if (input.isPassThrough !== true) {
    const own = foreignThinking(withoutGatewaySummaries(body), {
      signsAll: route.provider.attribution !== 'drop',
      isFilled: thoughtsRule(input)?.placeholders?.some(({ models }) => models.test(route.upstreamModel)) === true,
    });
    return finalizeRequest({ body: { ...own.body, model: route.upstreamModel }, dropped: own.dropped }, input);
  }
  // Unchanged except for the account's limit.
  const fitting = body === clientBody ? body : fitThinking(body);
  const described = describeRequest(fitting, input);
  const { body: sent, headers, dropped } = wrapBody({ body: fitting, headers: described.headers }, input);
  const text = sent === body ? rawText : writeJson(sent, input.longTexts);
  return { ...described, headers, body: bytesOfJson(text, input.longTexts), dropped };
}

/** Maps the container id to the caller's; a response collected from a stream is mapped there. */
export function withPresentedContainer<Decoded extends ForwardedWhole | DeepWhole | FailedWhole>(
  { body, restoreObjectId }: DecodeInput,
  decoded: Decoded,
): Decoded {
  if (decoded.kind !== 'whole' || !mayPresentContainer(body)) return decoded;
  const message = () => parseObject(body.toString('utf8'));
  const events = () => eventsWithContainer(decoded.events(), message());
  if (restoreObjectId === undefined) return { ...decoded, events };
  return { ...decoded, events, body: () => presentContainer(body, message(), restoreObjectId) };
}
