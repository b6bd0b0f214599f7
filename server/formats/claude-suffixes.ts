// Parses the suffixes of Claude model names that set the thinking effort: `-thinking` and efforts. The vendor does not know
// them.
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ReasoningEffort } from './parts.ts';

export interface ClaudeName {
  /** Model name at the vendor. */
  model: string;
  /** Effort of the suffix; null for `-thinking`, whose budget is a setting. */
  effort: ReasoningEffort | null;
}

const efforts: Readonly<Record<string, ReasoningEffort>> = { low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'max' };

/** Returns null if the name has no such suffix. */
export function readClaudeEnding(name: string): ClaudeName | null {
  const [, model, thinking, effort = ''] = /^(.+)-(?:(thinking)|(low|medium|high|xhigh|max))$/.exec(name) ?? [];
  if (model === undefined) return null;
  if (thinking !== undefined) return { model, effort: null };
  return factsOf(model)?.vendor === 'anthropic' ? { model, effort: efforts[effort] ?? null } : null;
}
