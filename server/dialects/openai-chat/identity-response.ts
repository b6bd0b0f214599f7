// What a response in OpenAI's format needs before a client may have it: mostly nothing.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { outlineAtOnce } from '#server/framing/json-outline.ts';
import { eventsOf, readDeep } from '../decode-whole.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from '../decoded-whole.ts';
import type { Way } from '../way.ts';
import type { ProviderTraits } from '../provider-traits.ts';
import { textOf } from '../text-in-events.ts';
import { restrictToFormat } from './force-format.ts';
import { readWhole as readParts } from './read-response.ts';
import { errorOf } from './response-errors.ts';
import { textKeys } from './text-keys.ts';
import { thinkingInMessage } from './thinking-to-content.ts';
import { isInvalidUsage, readTokenUsage } from './token-usage.ts';
import { withTier } from '../token-usage.ts';

export function readWhole(input: DecodeInput): DecodedWhole | DeepWhole | FailedWhole {
  const { way, upstreamModel, body: bytes, writer } = input;
  const { provider, dialect } = way;
  const text = bytes.toString('utf8');
  if (isTooDeep(text)) return readDeep(input, outlineAtOnce(bytes));
  const told = parseObject(text);
  const error = told === null ? null : errorOf(told, provider);
  if (error !== null) return { kind: 'failed', error };
  const fixed = fixResponse({ way, upstreamModel, text });
  const body = fixed === text ? told : parseObject(fixed);
  const results = body?.['choices'];
  if (body === null || !Array.isArray(results) || isInvalidUsage(body['usage'])) return { kind: 'failed', error: null };
  return {
    kind: 'whole',
    usage: withTier(readTokenUsage(body['usage'], provider?.responses), body['service_tier']),
    isEmpty: results.length === 0,
    written: () => textOf(fixed, textKeys),
    body: () => (fixed === text ? bytes : Buffer.from(fixed)),
    events: () => eventsOf(readParts(body, provider) ?? [], dialect, writer),
  };
}

export interface ResponseInput {
  way: Pick<Way, 'provider' | 'setting'>;
  upstreamModel: string;
  /** The upstream's body. */
  text: string;
}

/** The body for the client: the very same text when nothing has to change. */
export function fixResponse(input: ResponseInput): string {
  const { way } = input;
  const responses = way.provider.responses;
  const { thinkingToContent, forceFormat } = way.setting;
  if (responses === undefined && !thinkingToContent && !forceFormat) return input.text;
  const body = parseObject(input.text);
  if (body === null) return input.text;
  if (responses?.ownModel === true) body.model = input.upstreamModel;
  if (responses?.completionFromTotal === true) fixCompletionCount(body, way.provider);
  if (thinkingToContent) thinkingInMessage(body);
  return JSON.stringify(forceFormat ? restrictToFormat(body) : body);
}

/** Writes the reasoning tokens that the provider leaves out into `usage`, of a body or a stream event. */
export function fixCompletionCount(body: Record<string, unknown>, provider: ProviderTraits | null): void {
  const usage = readTokenUsage(body.usage, provider?.responses);
  if (usage === null || !isObject(body.usage)) return;
  body.usage.completion_tokens = usage.output;
  const details = body.usage.completion_tokens_details;
  if (isObject(details)) details.text_tokens = usage.output - usage.reasoning;
}
