// Usage as this format tells it: two numbers of the last line.
import type { TokenUsage } from '#shared/token-usage.ts';
import { inputTokens } from '#shared/token-usage.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { MainCount, ResponsePart } from '../parts.ts';
import { isInvalidCount, tokenCount } from '../token-usage.ts';

/**
 * What the last line tells, if anything. Older versions say nothing of a prompt that was in their cache: then nothing is told, and all
 * of it is counted.
 */
export function usageParts({ prompt_eval_count: prompt, eval_count: written }: JsonObject): ResponsePart[] {
  const counts: MainCount[] = [];
  if (isInvalidCount(prompt)) counts.push('input');
  if (isInvalidCount(written)) counts.push('output');
  if (counts.length > 0) return [{ type: 'invalid_usage', counts }];
  const input = tokenCount(prompt) ?? 0;
  const output = tokenCount(written);
  return input === 0 || output === undefined ? [] : [{ type: 'usage', usage: { input, output } }];
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  return { prompt_eval_count: inputTokens(usage), eval_count: usage.output };
}
