// What a model takes beside how it thinks.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** Schemas in JSON Schema's own words. https://ai.google.dev/gemini-api/docs/structured-output */
export function takesJsonSchema(model: string): boolean {
  return factsOf(model)?.takesJsonSchema === true;
}

/** Calls have ids, and those of the running turn their signatures. https://ai.google.dev/gemini-api/docs/thought-signatures */
export function signsCalls(model: string): boolean {
  return factsOf(model)?.signsCalls === true;
}
