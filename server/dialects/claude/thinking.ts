// How much a Claude model shall think, by its generation: the newer ones are told an effort, the older ones a budget.
import { isObject } from '#server/framing/loose-json.ts';
import type { ReasoningEffort, ReasoningWish } from '../parts.ts';

/** Tokens; less is refused. https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const leastBudget = 1024;
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
  if (generation === 'effort' && wish.budgetTokens === undefined) {
    const effort = wish.effort === 'minimal' ? 'low' : wish.effort;
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

type Body = Readonly<Record<string, unknown>>;

/** A budget must be below the limit; where the limit leaves no room for one, the model does not think. */
export function fitThinking(body: Body): Body {
  const { thinking, max_tokens: limit } = body;
  if (typeof limit !== 'number' || !isObject(thinking) || typeof thinking.budget_tokens !== 'number') return body;
  if (thinking.budget_tokens < limit) return body;
  if (limit < leastBudget + leastRest) return { ...body, thinking: { type: 'disabled' } };
  return { ...body, thinking: { ...thinking, budget_tokens: limit - leastRest } };
}

/** `claude-3-7-sonnet-…`, `claude-opus-4-6`, `anthropic.claude-sonnet-5`: names differ, the version is a number in all. */
function generationOf(model: string): 'none' | 'budget' | 'effort' {
  const version = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  if (version === null) return /claude/.test(model) ? 'effort' : 'none';
  const major = Number(version[1]);
  const minor = Number(version[2] ?? 0);
  if (major < 3 || (major === 3 && minor < 7)) return 'none';
  return major > 4 || (major === 4 && minor >= 6) ? 'effort' : 'budget';
}
