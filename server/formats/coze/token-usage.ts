// Usage of this format: the sum of all models that the bot called.
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { invalidUsage, mainUsage } from '../token-usage.ts';

/** Reads a chat's usage. A bot that called no model reports zeros: all is counted then. */
export function usageParts(value: unknown): readonly ResponsePart[] {
  if (value === undefined || value === null) return [];
  return isObject(value) ? mainUsage({ input: value['input_count'], output: value['output_count'] }) : invalidUsage;
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  return { token_count: prompt + usage.output, output_count: usage.output, input_count: prompt };
}
