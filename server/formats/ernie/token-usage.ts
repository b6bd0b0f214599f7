// Usage of this format: output is the total minus the prompt, since stream frames report too little.
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { MainCount, ResponsePart } from '../parts.ts';
import { isInvalidCount, tokenCount } from '../token-usage.ts';

export function usageParts(value: unknown): ResponsePart[] {
  if (value === undefined || value === null) return [];
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = isObject(value) ? value : {};
  const counts: MainCount[] = [];
  if (!isObject(value) || isInvalidCount(prompt)) counts.push('input');
  if (!isObject(value) || isInvalidCount(completion) || isInvalidCount(total)) counts.push('output');
  if (counts.length > 0) return [{ type: 'invalid_usage', counts }];
  const input = tokenCount(prompt);
  if (input === undefined) return [];
  const output = Math.max(tokenCount(completion) ?? 0, (tokenCount(total) ?? 0) - input);
  return [{ type: 'usage', usage: { input, output } }];
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  return { prompt_tokens: prompt, completion_tokens: usage.output, total_tokens: prompt + usage.output };
}
