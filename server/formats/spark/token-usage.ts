// Usage in the last message of this format.
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { invalidUsage, mainUsage } from '../token-usage.ts';

export function usageParts(usage: unknown): readonly ResponsePart[] {
  const text = isObject(usage) ? usage['text'] : usage;
  if (text === undefined || text === null) return [];
  return isObject(text) ? mainUsage({ input: text['prompt_tokens'], output: text['completion_tokens'] }) : invalidUsage;
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  return { text: { question_tokens: prompt, prompt_tokens: prompt, completion_tokens: usage.output, total_tokens: prompt + usage.output } };
}
