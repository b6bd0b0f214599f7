// Usage as this format tells it: of all models that the application has asked.
import type { TokenUsage } from '#shared/token-usage.ts';
import { inputTokens } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { MainCount, ResponsePart } from '../parts.ts';
import { isInvalidCount, tokenCount } from '../token-usage.ts';

/** What `metadata` tells, if anything: an application that has asked no model tells zeros, and all is counted. */
export function usageParts(metadata: unknown): ResponsePart[] {
  const value = isObject(metadata) ? metadata['usage'] : undefined;
  if (value === undefined || value === null) return [];
  const { prompt_tokens: prompt, completion_tokens: completion } = isObject(value) ? value : {};
  const counts: MainCount[] = [];
  if (!isObject(value) || isInvalidCount(prompt)) counts.push('input');
  if (!isObject(value) || isInvalidCount(completion)) counts.push('output');
  if (counts.length > 0) return [{ type: 'invalid_usage', counts }];
  const input = tokenCount(prompt) ?? 0;
  const output = tokenCount(completion) ?? 0;
  return input === 0 ? [] : [{ type: 'usage', usage: { input, output } }];
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  return { prompt_tokens: prompt, completion_tokens: usage.output, total_tokens: prompt + usage.output };
}
