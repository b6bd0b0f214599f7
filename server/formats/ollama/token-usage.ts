// Usage of this format: two counts in the last line.
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { invalidCounts, tokenCount } from '../token-usage.ts';

/** Reads the last line. Older versions omit the count of a cached prompt: all is counted then. */
export function usageParts({ prompt_eval_count: prompt, eval_count: written }: JsonObject): ResponsePart[] {
  const invalid = invalidCounts({ input: prompt, output: written });
  if (invalid.length > 0) return invalid;
  const input = tokenCount(prompt) ?? 0;
  const output = tokenCount(written);
  return input === 0 || output === undefined ? [] : [{ type: 'usage', usage: { input, output } }];
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  return { prompt_eval_count: inputTokens(usage), eval_count: usage.output };
}
