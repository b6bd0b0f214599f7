// Usage as this format tells it, of models that count tokens.
import type { TokenUsage } from '#shared/token-usage.ts';
import { inputTokens } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { MainCount, ResponsePart } from '../parts.ts';
import { isInvalidCount, tokenCount } from '../token-usage.ts';

/** Of what a prediction has measured; nothing where that are seconds alone. */
export function usageParts(metrics: unknown): ResponsePart[] {
  if (!isObject(metrics)) return [];
  const { input_token_count: prompt, output_token_count: completion } = metrics;
  if (prompt === undefined && completion === undefined) return [];
  const counts: MainCount[] = [];
  if (isInvalidCount(prompt)) counts.push('input');
  if (isInvalidCount(completion)) counts.push('output');
  if (counts.length > 0) return [{ type: 'invalid_usage', counts }];
  const input = tokenCount(prompt) ?? 0;
  const output = tokenCount(completion) ?? 0;
  return input === 0 ? [] : [{ type: 'usage', usage: { input, output } }];
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  return { input_token_count: inputTokens(usage), output_token_count: usage.output };
}
