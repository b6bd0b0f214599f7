// Usage as this format writes it: cached tokens within the input, thoughts within the output.
import { isObject } from '#server/framing/loose-json.ts';
import { inputTokens } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ResponsePart } from '../parts.ts';
import { toldCost } from '../told-cost.ts';
import { cachedMedia, mediaClasses, tokenCount, withTier } from '../token-usage.ts';

/** Null: it tells nothing. */
export function readTokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const input = count(value.input_tokens);
  const output = count(value.output_tokens);
  if (input + output === 0) return null;
  const details = asRecord(value.input_tokens_details);
  const outputDetails = asRecord(value.output_tokens_details);
  const cacheRead = Math.min(count(details.cached_tokens), input);
  // The latter is Perplexity's. https://docs.perplexity.ai/api-reference/agent-post
  const cacheWrite5m = Math.min(count(details.cache_write_tokens ?? details.cache_creation_input_tokens), input - cacheRead);
  const cost = toldCost(value);
  return {
    ...(cost === undefined ? {} : { cost }),
    input: input - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(count(outputDetails.reasoning_tokens), output),
    audioOutput: Math.min(count(outputDetails.audio_tokens), output),
    imageOutput: 0,
    ...mediaClasses({
      input,
      cacheRead,
      audio: count(details.audio_tokens),
      image: count(details.image_tokens),
      cached: cachedMedia(details.cached_tokens_details),
    }),
  };
}

/** True for a usage object whose main numbers cannot be counts of tokens: negative, fractional, no numbers, beyond reason. */
function isInvalidUsage(value: unknown): boolean {
  if (!isObject(value)) return value !== undefined && value !== null;
  const main = [value.input_tokens, value.output_tokens, value.total_tokens];
  return main.some((number) => number !== undefined && number !== null && tokenCount(number) === undefined);
}

/** What the usage of a response tells, if anything, and the lane beside it. */
export function usageParts({ usage: value, service_tier: tier }: Readonly<Record<string, unknown>>): ResponsePart[] {
  if (isInvalidUsage(value)) return [{ type: 'invalid_usage', counts: ['input', 'output'] }];
  const usage = withTier(readTokenUsage(value), tier);
  return usage === null ? [] : [{ type: 'usage', usage }];
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const input = inputTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  };
}

function count(value: unknown): number {
  return tokenCount(value) ?? 0;
}

function asRecord(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
