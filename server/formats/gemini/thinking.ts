// Thinking of Gemini models: newer ones take a level, earlier ones a budget. https://ai.google.dev/gemini-api/docs/thinking
import { factsOf } from '#server/model-facts/find-facts.ts';
import { efforts as allEfforts } from '#server/model-facts/model-record.ts';
import type { Thinking } from '#server/model-facts/model-facts.ts';
import type { ReasoningEffort, ReasoningWish } from '../parts.ts';

/** Budgets in tokens by effort, as in Google's OpenAI-compatible API. https://ai.google.dev/gemini-api/docs/openai#thinking */
export const budgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

export type ThinkingConfig = Readonly<Record<string, unknown>>;

/** Returns null if the model cannot think. */
export function writeThinking(model: string, wish: ReasoningWish): ThinkingConfig | null {
  const thinking = thinkingOf(model);
  if (thinking === null) return null;
  const { isOn } = wish;
  if (thinking.efforts !== undefined) {
    const effort = isOn ? (wish.effort ?? effortOf(wish.budgetTokens)) : 'none';
    return { includeThoughts: isOn, ...(effort === undefined ? {} : { thinkingLevel: levelFor(thinking.efforts, effort).toUpperCase() }) };
  }
  const tokens = isOn ? (wish.budgetTokens ?? (wish.effort === undefined ? undefined : budgets[wish.effort])) : 0;
  return { includeThoughts: isOn, ...(tokens === undefined ? {} : { thinkingBudget: within(thinking, tokens) }) };
}

/** Whether the written config satisfies the request; an effort mapped to a budget, or the reverse, does. */
export function thinksAsWished({ isOn, effort, budgetTokens }: ReasoningWish, { thinkingLevel, thinkingBudget }: ThinkingConfig): boolean {
  if (typeof thinkingLevel === 'string') {
    const intended = isOn ? effort : 'none';
    return intended === undefined || effortOfLevel(thinkingLevel) === intended;
  }
  if (!isOn) return thinkingBudget === 0;
  return budgetTokens === undefined || effort !== undefined || thinkingBudget === budgetTokens;
}

/** Whether the model takes levels instead of budgets. */
export function takesLevels(model: string): boolean {
  return thinkingOf(model)?.efforts !== undefined;
}

function thinkingOf(model: string): Thinking | null {
  const facts = factsOf(model);
  return facts?.vendor === 'google' ? facts.thinking : null;
}

/** Clamps a budget to the model's range. */
export function within({ budget, isAlwaysOn }: Thinking, tokens: number): number {
  const { least, most } = budget ?? { least: 1, most: Infinity };
  return tokens === 0 && !isAlwaysOn ? 0 : Math.min(most, Math.max(least, tokens));
}

/** Returns the lowest supported level at or above the effort, or else the highest. */
export function levelFor(taken: readonly ReasoningEffort[], effort: ReasoningEffort): ReasoningEffort {
  return taken.find((one) => allEfforts.indexOf(one) >= allEfforts.indexOf(effort)) ?? taken.at(-1) ?? 'high';
}

function effortOf(tokens: number | undefined): ReasoningEffort | undefined {
  if (tokens === undefined) return undefined;
  return tokens <= 1024 ? 'low' : tokens <= 8192 ? 'medium' : 'high';
}

const efforts: ReadonlyMap<string, ReasoningEffort> = new Map([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
  ['XHIGH', 'xhigh'],
  ['MAX', 'max'],
]);

export function effortOfLevel(level: string): ReasoningEffort | undefined {
  return efforts.get(level.toUpperCase());
}
