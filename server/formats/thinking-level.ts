// Thinking level for formats with three of them.
import type { ReasoningWish } from './parts.ts';

export type ThinkingLevel = 'low' | 'medium' | 'high';

/** Maps a request for thinking; without a budget or effort, the medium level. */
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
