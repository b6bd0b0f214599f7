// How much a model shall think, by its generation: the newer ones are told a level, those of 2.5 a budget.
// https://ai.google.dev/gemini-api/docs/thinking
import type { ReasoningEffort, ReasoningWish } from '../parts.ts';
import { generationOf } from './model-generation.ts';

interface Budget {
  least: number;
  most: number;
  /** The model cannot be kept from thinking. */
  isAlwaysOn?: boolean;
}

function budgetOf(model: string): Budget {
  if (/gemini-2\.5-pro/.test(model)) return { least: 128, most: 32_768, isAlwaysOn: true };
  return { least: model.includes('flash-lite') ? 512 : 1, most: 24_576 };
}

/** As Google's own service of OpenAI's format has it. https://ai.google.dev/gemini-api/docs/openai#thinking */
const budgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

const levels: Readonly<Record<ReasoningEffort, string>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
};

/** `thinkingConfig`; null: the model cannot think. */
export function writeThinking(model: string, wish: ReasoningWish): Readonly<Record<string, unknown>> | null {
  const generation = generationOf(model);
  if (generation < 2.5) return null;
  const { isOn } = wish;
  if (generation >= 3) {
    const effort = isOn ? (wish.effort ?? effortOf(wish.budgetTokens)) : 'none';
    return { includeThoughts: isOn, ...(effort === undefined ? {} : { thinkingLevel: levelOf(model, effort) }) };
  }
  const tokens = isOn ? (wish.budgetTokens ?? (wish.effort === undefined ? undefined : budgets[wish.effort])) : 0;
  return { includeThoughts: isOn, ...(tokens === undefined ? {} : { thinkingBudget: within(budgetOf(model), tokens) }) };
}

function within({ least, most, isAlwaysOn }: Budget, tokens: number): number {
  return tokens === 0 && isAlwaysOn !== true ? 0 : Math.min(most, Math.max(least, tokens));
}

function effortOf(tokens: number | undefined): ReasoningEffort | undefined {
  if (tokens === undefined) return undefined;
  return tokens <= 1024 ? 'low' : tokens <= 8192 ? 'medium' : 'high';
}

/** The models named `pro` think at least a little; the first of them know two levels. */
function levelOf(model: string, effort: ReasoningEffort): string {
  const level = levels[effort];
  if (!model.includes('-pro')) return level;
  if (level === 'MINIMAL') return 'LOW';
  return level === 'MEDIUM' && /gemini-3-pro/.test(model) ? 'HIGH' : level;
}

const efforts: ReadonlyMap<string, ReasoningEffort> = new Map([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
]);

export function effortOfLevel(level: string): ReasoningEffort | undefined {
  return efforts.get(level.toUpperCase());
}
