// Suffixes of model names that set reasoning: `-thinking` and `-nothinking`, `-thinking-N` with a token budget, and an
// effort (`-high`).
import type { ReasoningEffort, ReasoningWish } from '#server/formats/parts.ts';

export interface EndedName {
  model: string;
  wish: ReasoningWish;
}

const efforts: Readonly<Record<string, ReasoningEffort>> = {
  none: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};
const ending = /^(.+)-(?:(nothinking)|thinking(?:-(\d{1,6}))?|(none|minimal|low|medium|high|xhigh|max))$/;

/** Returns null if the name has no such suffix. */
export function readThinkingEnding(name: string): EndedName | null {
  const [, model, isOff, tokens, effort] = ending.exec(name) ?? [];
  if (model === undefined) return null;
  if (isOff !== undefined) return { model, wish: { isOn: false } };
  if (tokens !== undefined) return { model, wish: tokens === '0' ? { isOn: false } : { isOn: true, budgetTokens: Number(tokens) } };
  const named = effort === undefined ? undefined : efforts[effort];
  if (named === undefined) return { model, wish: { isOn: true } };
  return { model, wish: named === 'none' ? { isOn: false } : { isOn: true, effort: named } };
}
