// Context length of a model, by its vendor: clients compact conversations by it.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** Returns the context window in tokens; null if unknown. */
export function contextWindow(model: string): number | null {
  return factsOf(model)?.context ?? null;
}
