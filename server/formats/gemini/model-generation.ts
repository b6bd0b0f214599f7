// Model capabilities other than thinking.
import { factsOf } from '#server/model-facts/find-facts.ts';

/** Supports JSON Schema without conversion. https://ai.google.dev/gemini-api/docs/structured-output */
export function takesJsonSchema(model: string): boolean {
  return factsOf(model)?.takesJsonSchema === true;
}

/** Calls have ids, and those of the current turn signatures. https://ai.google.dev/gemini-api/docs/thought-signatures */
export function signsCalls(model: string): boolean {
  return factsOf(model)?.signsCalls === true;
}
