// Usage of this format: billed tokens, and all processed tokens, the vendor's own instructions included.
// https://docs.cohere.com/v2/reference/chat#response.body.usage
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { invalidCounts, invalidUsage, tokenCount } from '../token-usage.ts';

export function usageParts(value: unknown): readonly ResponsePart[] {
  if (value === undefined || value === null) return [];
  const { billed_units: billed, tokens } = isObject(value) ? value : {};
  const reported = billed ?? tokens;
  if (!isObject(reported)) return isObject(value) && reported === undefined ? [] : invalidUsage;
  const invalid = invalidCounts({ input: reported.input_tokens, output: reported.output_tokens });
  if (invalid.length > 0) return invalid;
  const usage: Partial<TokenUsage> = {};
  const input = tokenCount(reported.input_tokens);
  if (input !== undefined) usage.input = input;
  const output = tokenCount(reported.output_tokens);
  if (output !== undefined) usage.output = output;
  return Object.keys(usage).length === 0 ? [] : [{ type: 'usage', usage }];
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  return { billed_units: { input_tokens: inputTokens(usage), output_tokens: usage.output } };
}
