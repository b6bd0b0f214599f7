// Usage as this format tells it: of all models that the bot has asked.
import type { TokenUsage } from '#shared/token-usage.ts';
import { inputTokens } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { MainCount, ResponsePart } from '../parts.ts';
import { isInvalidCount, tokenCount } from '../token-usage.ts';

/** What a chat tells, if anything: a bot that has asked no model tells zeros, and all is counted. */
export function usageParts(value: unknown): ResponsePart[] {
  if (value === undefined || value === null) return [];
  const { input_count: prompt, output_count: completion } = isObject(value) ? value : {};
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
  return { token_count: prompt + usage.output, output_count: usage.output, input_count: prompt };
}
