// Identity path of Messages: forwards requests and complete responses.
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
  // An unchanged body is forwarded; a limit that the account bounded may no longer exceed the thinking budget.
  const fitting = body === clientBody ? body : fitThinking(body);
  const described = describeRequest(fitting, input);
  const { body: sent, headers, dropped } = wrapBody({ body: fitting, headers: described.headers }, input);
  const text = sent === body ? rawText : writeJson(sent, input.longTexts);
  return { ...described, headers, body: bytesOfJson(text, input.longTexts), dropped };
}

/**
 * Replaces the container id by the caller's in a complete response, and adds the container if it is sent as events. In a
 * response collected from a stream, the events were edited already.
 */
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
