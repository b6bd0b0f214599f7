// Thinking of Claude models: newer ones take an effort, older ones a budget.
import { isObject } from '#server/framing/loose-json.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { Thinking } from '#server/model-facts/model-facts.ts';
import type { ReasoningEffort, ReasoningWish } from '../parts.ts';
import { effortOfBudget, nearestEffort } from '../reasoning-models.ts';

/** Tokens left for the response after thinking. */
const leastRest = 256;

const shares: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.95,
};

export interface ThinkingFields {
  thinking?: Readonly<Record<string, unknown>>;
  output_config?: Readonly<Record<string, unknown>>;
  max_tokens: number;
}

/** Returns null if the model cannot think. */
export function writeThinking(model: string, wish: ReasoningWish, maxTokens: number): ThinkingFields | null {
  const facts = factsOf(model);
  const thinking = facts?.vendor === 'anthropic' ? facts.thinking : null;
  if (thinking === null) return null;
  if (!wish.isOn) return { ...unthinking(thinking), max_tokens: maxTokens };
  if (thinking.isAdaptive && (wish.budgetTokens === undefined || thinking.budget === undefined)) {
    const effort = effortFor(wish, thinking);
    return {
      // Newer models omit thinking unless it is requested.
      thinking: { type: 'adaptive', display: 'summarized' },
      ...(effort === undefined ? {} : { output_config: { effort } }),
      max_tokens: maxTokens,
    };
  }
  const { least, most } = thinking.budget ?? usualBudget;
  const budget = wish.budgetTokens ?? Math.floor(maxTokens * shares[wish.effort ?? 'medium']);
  const budgetTokens = Math.min(most, Math.max(least, budget));
  // The budget is part of the limit.
  return { thinking: { type: 'enabled', budget_tokens: budgetTokens }, max_tokens: Math.max(maxTokens, budgetTokens + leastRest) };
}

/** Budget range in tokens; smaller budgets are rejected. https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const usualBudget = { least: 1024, most: Infinity };

/** Returns the fields that turn thinking off, or the lowest effort for models that always think. */
function unthinking({ isAdaptive, isAlwaysOn, efforts }: Thinking): Omit<ThinkingFields, 'max_tokens'> {
  if (!isAdaptive) return {};
  if (!isAlwaysOn) return { thinking: { type: 'disabled' } };
  const effort = efforts?.[0];
  return { thinking: { type: 'adaptive' }, ...(effort === undefined ? {} : { output_config: { effort } }) };
}

function effortFor({ effort, budgetTokens }: ReasoningWish, { efforts = [] }: Thinking): ReasoningEffort | undefined {
  const intended = effort ?? effortOfBudget(budgetTokens);
  return intended === undefined ? undefined : nearestEffort(intended, efforts);
}

/** Reports whether the written fields satisfy the request; a budget mapped to an effort, or the reverse, does. */
export function thinksAsWished({ isOn, effort }: ReasoningWish, { thinking, output_config: output }: ThinkingFields): boolean {
  if (!isOn) return thinking?.['type'] !== 'adaptive';
  return effort === undefined || output === undefined || output['effort'] === effort;
}

/** Returns the thinking budget for an effort within a limit; null if the limit is too small. */
export function budgetFor(limit: number, effort: ReasoningEffort | undefined, least: number): number | null {
  if (limit < least + leastRest) return null;
  return Math.min(limit - leastRest, Math.max(least, Math.floor(limit * shares[effort ?? 'medium'])));
}

type Body = Readonly<Record<string, unknown>>;

/** Lowers the budget below the limit; turns thinking off if the limit is too small. */
export function fitThinking(body: Body): Body {
  const { thinking, max_tokens: limit } = body;
  if (typeof limit !== 'number' || !isObject(thinking) || typeof thinking.budget_tokens !== 'number') return body;
  if (thinking.budget_tokens < limit) return body;
  if (limit < usualBudget.least + leastRest) return { ...body, thinking: { type: 'disabled' } };
  return { ...body, thinking: { ...thinking, budget_tokens: limit - leastRest } };
}

/** Reports whether the model has adaptive thinking and rejects budgets. https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking */
export function refusesBudgets(model: string): boolean {
  const thinking = factsOf(model)?.thinking;
  return thinking?.isAdaptive === true && thinking.budget === undefined;
}
