// What a response in OpenAI's format needs before a client may have it: mostly nothing.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { outlineAtOnce } from '#server/framing/json-outline.ts';
import { eventsOf, readDeep } from '../decode-whole.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from '../decoded-whole.ts';
import type { Way } from '../way.ts';
import type { Capability, ProviderTraits } from '../provider-traits.ts';
import { textOf } from '../text-in-events.ts';
import { fixEmbeddings, needsEmbeddingsFix } from './embeddings.ts';
import { restrictToFormat } from './force-format.ts';
import { readWhole as readParts } from './read-response.ts';
import { errorOf } from './response-errors.ts';
import { textKeys } from './text-keys.ts';
import { thinkingInMessage } from './thinking-to-content.ts';
import { isInvalidUsage, readTokenUsage } from './token-usage.ts';

export function readWhole(input: DecodeInput): DecodedWhole | DeepWhole | FailedWhole {
  const { capability, way, responseFields, upstreamModel, body: bytes, writer } = input;
  const { provider, dialect } = way;
  const text = bytes.toString('utf8');
  // No caller has a say in how vectors are nested.
  if (capability === 'chat' && isTooDeep(text)) return readDeep(input, outlineAtOnce(bytes));
  const told = parseObject(text);
  const error = told === null ? null : errorOf(told, provider);
  if (error !== null) return { kind: 'failed', error };
  const fixed = fixResponse({ capability, way, requestBody: responseFields, upstreamModel, text });
  const body = fixed === text ? told : parseObject(fixed);
  const results = capability === 'embeddings' ? body?.['data'] : body?.['choices'];
  if (body === null || !Array.isArray(results) || isInvalidUsage(body['usage'])) return { kind: 'failed', error: null };
  return {
    kind: 'whole',
    usage: readTokenUsage(body['usage'], provider?.responses),
    isEmpty: results.length === 0,
    written: () => (capability === 'chat' ? textOf(fixed, textKeys) : ''),
    body: () => (fixed === text ? bytes : Buffer.from(fixed)),
    events: () => eventsOf(readParts(body, provider) ?? [], dialect, writer),
  };
}

export interface ResponseInput {
  capability: Capability;
  way: Pick<Way, 'provider' | 'setting'>;
  /** As the client sent it. */
  requestBody: Readonly<Record<string, unknown>>;
  upstreamModel: string;
  /** The upstream's body. */
  text: string;
}

/** The body for the client: the very same text when nothing has to change. */
export function fixResponse(input: ResponseInput): string {
  const { way, capability } = input;
  const responses = way.provider.responses;
  if (capability === 'embeddings') {
    const hook = way.provider.embeddings;
    if (hook === undefined && responses?.ownModel !== true && !needsEmbeddingsFix(input.text, input.requestBody)) return input.text;
    const body = parseObject(input.text);
    if (body === null) return input.text;
    const response = hook?.response(body, input.upstreamModel) ?? body;
    if (responses?.ownModel === true) response.model = input.upstreamModel;
    return JSON.stringify(fixEmbeddings(response, input.requestBody));
  }
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
