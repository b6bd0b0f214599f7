// Usage in OpenAI's shape for calls whose response no model generates: prompt tokens, and few others.
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import { reportedCost } from '#server/formats/reported-cost.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';

/** Null if none is reported or all are zero; undefined if the numbers are invalid. */
export function readPromptUsage(value: unknown): TokenUsage | null | undefined {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) return undefined;
  const reported = [value.prompt_tokens ?? value.input_tokens, value.completion_tokens ?? value.output_tokens, value.total_tokens];
  if (reported.some((number) => number !== undefined && number !== null && tokenCount(number) === undefined)) return undefined;
  // Some providers report only the total.
  const [prompt, output = 0, total = 0] = reported.map(tokenCount);
  const usage = usageOfPrompt(prompt ?? Math.max(0, total - output), value.total_tokens === 0 ? 0 : output, imagesIn(value));
  const cost = reportedCost(value);
  return usage === null || cost === undefined ? usage : { ...usage, cost };
}

/** Returns null for zero tokens, which no call uses. */
export function usageOfPrompt(input: number, output = 0, images = 0): TokenUsage | null {
  return input + output === 0 ? null : { ...noTokens, input, output, imageInput: Math.min(images, input) };
}

function imagesIn({ prompt_tokens_details: details }: Record<string, unknown>): number {
  return isObject(details) ? (tokenCount(details.image_tokens) ?? 0) : 0;
}
