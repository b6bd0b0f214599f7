// Usage of this format: cached tokens are part of the prompt, counts may be texts.
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { invalidCounts, invalidUsage, tokenCount } from '../token-usage.ts';

/** Reads a usage object; one with zeros counts as absent. */
export function usageParts(value: unknown): readonly ResponsePart[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return invalidUsage;
  const { PromptTokens: prompt, CompletionTokens: completion, PromptTokensDetails: details } = value;
  const invalid = invalidCounts({ input: prompt, output: completion });
  if (invalid.length > 0) return invalid;
  const input = tokenCount(prompt) ?? 0;
  const output = tokenCount(completion) ?? 0;
  if (input === 0) return [];
  const cached = isObject(details) ? Number(details['CachedTokens'] ?? 0) : 0;
  const cacheRead = Math.min(input, tokenCount(cached) ?? 0);
  return [{ type: 'usage', usage: { input: input - cacheRead, output, ...(cacheRead > 0 ? { cacheRead } : {}) } }];
}

export function writeTokenUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = inputTokens(usage);
  return {
    PromptTokens: prompt,
    CompletionTokens: usage.output,
    TotalTokens: prompt + usage.output,
    ...(usage.cacheRead > 0 ? { PromptTokensDetails: { CachedTokens: String(usage.cacheRead) } } : {}),
  };
}
