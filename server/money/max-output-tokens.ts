// Maximum output tokens of a model, by its vendor.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** Returns null if unknown. */
export function maxOutputTokens(model: string): number | null {
  return factsOf(model)?.output ?? null;
}
