// Maximum output tokens of a model, by its vendor; unknown ones are a setting.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** Null if unknown. */
export function maxOutputTokens(model: string): number | null {
  return factsOf(model)?.output ?? null;
}
