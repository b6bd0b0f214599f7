// Additional fields of model families behind this format. Names are ids of models or inference profiles, or names that a channel maps to
// them.
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ReasoningWish } from '../parts.ts';
import { thinkingLevel } from '../thinking-level.ts';

type Json = Record<string, unknown>;

export function isNova(model: string): boolean {
  return /(?:^|[./])nova-/.test(model);
}

/** Returns additional fields that control thinking. If null, the model's default applies. */
export function thinkingFields(model: string, wish: ReasoningWish): Json | null {
  const { isOn } = wish;
  const isSecondNova = /(?:^|[./])nova-2-/.test(model);
  // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
  if (isSecondNova && !isOn) return { reasoningConfig: { type: 'disabled' } };
  const level = thinkingLevel(wish);
  if (isSecondNova) return { reasoningConfig: { type: 'enabled', maxReasoningEffort: level } };
  // These models always think. https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
  return factsOf(model)?.owner === 'gpt-oss' ? { reasoning_effort: isOn ? level : 'low' } : null;
}
