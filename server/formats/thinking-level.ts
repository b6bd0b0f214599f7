// Maps thinking to levels, for formats with three of them.
import type { ReasoningWish } from './parts.ts';

export type ThinkingLevel = 'low' | 'medium' | 'high';

/** Returns the level for requested thinking; the medium one without budget and effort. */
export function thinkingLevel({ effort, budgetTokens }: ReasoningWish): ThinkingLevel {
  return effort === undefined ? levelOf(budgetTokens) : levels[effort];
}

const levels: Readonly<Record<NonNullable<ReasoningWish['effort']>, ThinkingLevel>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

function levelOf(budgetTokens: number | undefined): ThinkingLevel {
  if (budgetTokens === undefined) return 'medium';
  if (budgetTokens <= 4096) return 'low';
  return budgetTokens <= 16_384 ? 'medium' : 'high';
}
