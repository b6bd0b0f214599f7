// Usage of this format: cached tokens are part of input, thinking is part of output.
import { isObject } from '#server/framing/loose-json.ts';
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { ResponsePart } from '../parts.ts';
import { reportedCost } from '../reported-cost.ts';
import { cachedMedia, mediaClasses, outputWithReasoning, tokenCount, withTier } from '../token-usage.ts';

/** Returns null without usage. */
export function readTokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const input = count(value.input_tokens);
  const details = asRecord(value.input_tokens_details);
  const outputDetails = asRecord(value.output_tokens_details);
  const reasoning = count(outputDetails.reasoning_tokens);
  const output = outputWithReasoning({ input, output: count(value.output_tokens), reasoning, total: value.total_tokens });
  if (input + output === 0) return null;
  const cacheRead = Math.min(count(details.cached_tokens), input);
  // Perplexity writes `cache_creation_input_tokens`. https://docs.perplexity.ai/api-reference/agent-post
  const cacheWrite5m = Math.min(count(details.cache_write_tokens ?? details.cache_creation_input_tokens), input - cacheRead);
  const cost = reportedCost(value);
  return {
    ...(cost === undefined ? {} : { cost }),
    input: input - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(reasoning, output),
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

/** Adds separately reported reasoning tokens to the output. @returns whether the response changed */
export function includeReasoning({ usage: reported }: Readonly<Record<string, unknown>>): boolean {
  const usage = readTokenUsage(reported);
  if (usage === null || !isObject(reported) || count(reported.output_tokens) >= usage.output) return false;
  reported.output_tokens = usage.output;
  return true;
}

const outputKey = Buffer.from('"output_tokens"');

/**
 * Edits the bytes of a complete response like `includeReasoning`, without parsing.
 * @param usage usage read from the bytes
 */
export function withReasoning(bytes: Buffer, usage: TokenUsage | null): Buffer {
  if (usage === null || usage.reasoning === 0) return bytes;
  // Searches from the end, where the usage is. The key matches no text, in which quotes are escaped.
  for (let at = bytes.lastIndexOf(outputKey); at > 0; at = bytes.lastIndexOf(outputKey, at - 1)) {
    const valueAt = at + outputKey.length;
    const value = /^\s*:\s*(\d+)/.exec(bytes.toString('latin1', valueAt, valueAt + 64));
    if (value === null) continue;
    const [written = '', number = ''] = value;
    if (Number(number) !== usage.output - usage.reasoning) return bytes;
    const numberAt = valueAt + written.length - number.length;
    return Buffer.concat([bytes.subarray(0, numberAt), Buffer.from(String(usage.output)), bytes.subarray(numberAt + number.length)]);
  }
  return bytes;
}

/** Reports whether a main count is invalid: negative, fractional, not a number, or too large. */
function isInvalidUsage(value: unknown): boolean {
  if (!isObject(value)) return value !== undefined && value !== null;
  const main = [value.input_tokens, value.output_tokens, value.total_tokens];
  return main.some((number) => number !== undefined && number !== null && tokenCount(number) === undefined);
}

/** Reads usage and service tier of a response. */
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
