// Which models of OpenAI's formats think before they answer, by their names: others refuse to be told how much.
import type { ReasoningWish } from './parts.ts';

export function reasons(model: string): boolean {
  return /(?:^|\/)(?:o\d|gpt-[5-9]|gpt-oss|codex|grok-(?:3-mini|4)|deepseek-(?:r|reason)|qwen3)/.test(model) && !/gpt-5-chat/.test(model);
}

/** The effort that is meant, in OpenAI's words; undefined: as much as the model does by itself. */
export function effortOf({ isOn, effort, budgetTokens }: ReasoningWish): string | undefined {
  if (!isOn) return 'minimal';
  if (effort !== undefined) return effort === 'max' ? 'xhigh' : effort;
  if (budgetTokens === undefined) return undefined;
  return budgetTokens <= 4096 ? 'low' : budgetTokens <= 16_384 ? 'medium' : 'high';
}
