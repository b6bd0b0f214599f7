// Fixes a response of OpenAI's format for the client; usually nothing.
import { parseShallow } from '#server/framing/loose-json.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { outlineAtOnce } from '#server/framing/json-outline.ts';
import { eventsOf, readDeep } from '../decode-whole.ts';
import type { DecodeInput, DeepWhole, FailedWhole, ForwardedWhole } from '../decoded-whole.ts';
import type { Route } from '../route.ts';
import { textOf } from '../text-in-events.ts';
import { restrictToFormat } from './force-format.ts';
import { readWhole as readParts } from './read-response.ts';
import { allEndPlainly, translateReasons, unknownReason } from './finish-reason.ts';
import { errorOf } from './response-errors.ts';
import { textKeys } from './text-keys.ts';
import { thinkingInMessage } from './thinking-to-content.ts';
import { includeReasoning, readUsage } from './token-usage.ts';
import { withTier } from '../token-usage.ts';

export function readWhole(input: DecodeInput): ForwardedWhole | DeepWhole | FailedWhole {
  const { route, upstreamModel, body: bytes } = input;
  const { provider } = route;
  const text = bytes.toString('utf8');
  if (isTooDeep(text)) return readDeep(input, outlineAtOnce(bytes));
  const reported = parseShallow(text);
  if (reported === null) return { kind: 'failed', error: null };
  const isPlain = allEndPlainly(reported['choices']);
  const error = errorOf(reported, provider, isPlain);
  if (error !== null) return { kind: 'failed', error };
  const body = fixResponse({ route, upstreamModel, body: reported }, isPlain);
  const fixed = body === reported ? text : JSON.stringify(body);
  const results = body['choices'];
  if (!Array.isArray(results)) return { kind: 'failed', error: null };
  const usage = readUsage(body['usage'], provider?.responses);
  if (usage === 'invalid') return { kind: 'failed', error: null };
  return {
    kind: 'whole',
    usage: body['service_tier'] === undefined ? usage : withTier(usage, body['service_tier']),
    unknownEnding: isPlain ? undefined : unknownReason(body),
    isEmpty: results.length === 0,
    written: () => textOf(fixed, textKeys),
    body: () => (fixed === text ? bytes : Buffer.from(fixed)),
    events: () => eventsOf(readParts(body, provider) ?? [], input),
  };
}

export interface ResponseInput {
  route: Pick<Route, 'provider' | 'setting'>;
  upstreamModel: string;
  /** The upstream's body, which may be modified. */
  body: Record<string, unknown>;
}

/** Returns the same object if nothing changes. @param isPlain result of `allEndPlainly`, where that is known */
export function fixResponse({ route, upstreamModel, body: reported }: ResponseInput, isPlain = false): Record<string, unknown> {
  const responses = route.provider.responses;
  const { thinkingToContent, forceFormat } = route.setting;
  const isIncluded = includeReasoning(reported, responses);
  const isTranslated = !isPlain && translateReasons(reported);
  if (responses === undefined && !thinkingToContent && !forceFormat && !isIncluded && !isTranslated) return reported;
  const body = { ...reported };
  if (responses?.tunedModel === true) body.model = upstreamModel;
  if (thinkingToContent) thinkingInMessage(body);
  return forceFormat ? restrictToFormat(body) : body;
}
