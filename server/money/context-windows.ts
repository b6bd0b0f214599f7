// The most tokens that a prompt may have, as the model's vendor says: clients shorten their conversations by it.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** Null: not known. */
export function contextWindow(model: string): number | null {
  return factsOf(model)?.context ?? null;
}
