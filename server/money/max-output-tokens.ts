// The most tokens that a model can answer with, as its vendor says. What is not known here is a setting.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** Null: not known. */
export function maxOutputTokens(model: string): number | null {
  return factsOf(model)?.output ?? null;
}
