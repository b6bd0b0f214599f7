// What a model takes, by the generation that its name tells. Names without one (`gemini-flash-latest`) are of the newest.

/** 2.5 as 2.5; 0: no Gemini. */
export function generationOf(model: string): number {
  const name = /(?:^|\/)gemini-(.*)$/.exec(model)?.[1];
  if (name === undefined) return 0;
  const version = /^(\d+(?:\.\d+)?)/.exec(name)?.[1];
  if (version !== undefined) return Number(version);
  return /^exp-\d/.test(name) ? 2 : newest;
}

const newest = 3;

/** Schemas in JSON Schema's own words. https://ai.google.dev/gemini-api/docs/structured-output */
export function takesJsonSchema(model: string): boolean {
  return generationOf(model) >= 2.5;
}

/** Calls have ids, and those of the running turn their signatures. https://ai.google.dev/gemini-api/docs/thought-signatures */
export function signsCalls(model: string): boolean {
  return generationOf(model) >= 3;
}
