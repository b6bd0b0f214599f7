// Usage of this format: the sum of all models that the application called.
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { invalidUsage, mainUsage } from '../token-usage.ts';

/** Reads `metadata`. An application that called no model reports zeros: all is counted then. */
export function usageParts(metadata: unknown): readonly ResponsePart[] {
  const value = isObject(metadata) ? metadata['usage'] : undefined;
  if (value === undefined || value === null) return [];
  return isObject(value) ? mainUsage({ input: value['prompt_tokens'], output: value['completion_tokens'] }) : invalidUsage;
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  return { prompt_tokens: prompt, completion_tokens: usage.output, total_tokens: prompt + usage.output };
}
