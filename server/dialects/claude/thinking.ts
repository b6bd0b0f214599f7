// How much a Claude model shall think, by its generation: the newer ones are told an effort, the older ones a budget.
import { isObject } from '#server/framing/loose-json.ts';
import type { ReasoningEffort, ReasoningWish } from '../parts.ts';
import { versionIn } from './model-version.ts';

/** Tokens; less is refused. https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const leastBudget = 1024;
/** The first version that thinks as it sees fit, and the first that takes no budget beside that, and the effort `xhigh`. */
const [leastAdaptive, leastWithoutBudget] = [406, 407];
/** What is left for the response beside the thoughts. */
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

/** Null: the model cannot think. */
export function writeThinking(model: string, wish: ReasoningWish, maxTokens: number): ThinkingFields | null {
  const generation = generationOf(model);
  if (generation === 'none') return null;
  if (!wish.isOn) return generation === 'budget' ? { max_tokens: maxTokens } : { thinking: { type: 'disabled' }, max_tokens: maxTokens };
  const isWithoutBudget = (versionIn(model) ?? 0) >= leastWithoutBudget;
  if (generation === 'effort' && (wish.budgetTokens === undefined || isWithoutBudget)) {
    const effort = effortFor(wish, isWithoutBudget);
    return {
      // Newer models keep their thoughts to themselves unless they are asked for.
      thinking: { type: 'adaptive', display: 'summarized' },
      ...(effort === undefined ? {} : { output_config: { effort } }),
      max_tokens: maxTokens,
    };
  }
  const budget = wish.budgetTokens ?? Math.floor(maxTokens * shares[wish.effort ?? 'medium']);
  const budgetTokens = Math.max(leastBudget, budget);
  // The budget counts within the limit.
  return { thinking: { type: 'enabled', budget_tokens: budgetTokens }, max_tokens: Math.max(maxTokens, budgetTokens + leastRest) };
}

function effortFor({ effort, budgetTokens }: ReasoningWish, isNewest: boolean): ReasoningEffort | undefined {
  if (effort === undefined && budgetTokens !== undefined) return budgetTokens <= 4096 ? 'low' : budgetTokens <= 16_384 ? 'medium' : 'high';
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' && !isNewest ? 'high' : effort;
}

type Body = Readonly<Record<string, unknown>>;

/** A budget must be below the limit; where the limit leaves no room for one, the model does not think. */
export function fitThinking(body: Body): Body {
  const { thinking, max_tokens: limit } = body;
  if (typeof limit !== 'number' || !isObject(thinking) || typeof thinking.budget_tokens !== 'number') return body;
  if (thinking.budget_tokens < limit) return body;
  if (limit < leastBudget + leastRest) return { ...body, thinking: { type: 'disabled' } };
  return { ...body, thinking: { ...thinking, budget_tokens: limit - leastRest } };
}

function generationOf(model: string): 'none' | 'budget' | 'effort' {
  const version = versionIn(model) ?? 0;
  if (version < 307) return 'none';
  return version < leastAdaptive ? 'budget' : 'effort';
}

/** It decides itself how long it thinks. https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking */
export function refusesBudgets(model: string): boolean {
  return (versionIn(model) ?? 0) >= leastWithoutBudget;
}
