// Usage of calls whose response no model writes, in the shape of OpenAI: a prompt, and hardly anything else.
import { noTokens } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import { reportedCost } from '#server/formats/reported-cost.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';

/** Null where nothing is told or nothing was used; undefined where the numbers cannot be true. */
export function readPromptUsage(value: unknown): TokenUsage | null | undefined {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) return undefined;
  const reported = [value.prompt_tokens ?? value.input_tokens, value.completion_tokens ?? value.output_tokens, value.total_tokens];
  if (reported.some((number) => number !== undefined && number !== null && tokenCount(number) === undefined)) return undefined;
  // Some report the total alone.
  const [prompt, output = 0, total = 0] = reported.map(tokenCount);
  const usage = usageOfPrompt(prompt ?? Math.max(0, total - output), value.total_tokens === 0 ? 0 : output, imagesIn(value));
  const cost = reportedCost(value);
  return usage === null || cost === undefined ? usage : { ...usage, cost };
}

/** Null: nothing was used, which is never so. */
export function usageOfPrompt(input: number, output = 0, images = 0): TokenUsage | null {
  return input + output === 0 ? null : { ...noTokens, input, output, imageInput: Math.min(images, input) };
}

function imagesIn({ prompt_tokens_details: details }: Record<string, unknown>): number {
  return isObject(details) ? (tokenCount(details.image_tokens) ?? 0) : 0;
}
