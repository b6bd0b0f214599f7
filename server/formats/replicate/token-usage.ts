// Usage of models that count tokens.
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { mainUsage } from '../token-usage.ts';

/** Reads a prediction's metrics; returns nothing if they have seconds only. */
export function usageParts(metrics: unknown): ResponsePart[] {
  if (!isObject(metrics)) return [];
  return mainUsage({ input: metrics['input_token_count'], output: metrics['output_token_count'] });
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  return { input_token_count: inputTokens(usage), output_token_count: usage.output };
}
