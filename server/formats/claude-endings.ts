// Endings of the names of Claude models that say how much the model shall think, which its vendor does not know: `-thinking`, and an effort.
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { ReasoningEffort } from './parts.ts';

export interface ClaudeName {
  /** As its vendor calls it. */
  model: string;
  /** Null: it thinks as much as the settings say. */
  effort: ReasoningEffort | null;
}

const efforts: Readonly<Record<string, ReasoningEffort>> = { low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'max' };

/** Null: the name has no such ending. */
export function readClaudeEnding(name: string): ClaudeName | null {
  const [, model, thinking, effort = ''] = /^(.+)-(?:(thinking)|(low|medium|high|xhigh|max))$/.exec(name) ?? [];
  if (model === undefined) return null;
  if (thinking !== undefined) return { model, effort: null };
  return factsOf(model)?.vendor === 'anthropic' ? { model, effort: efforts[effort] ?? null } : null;
}
