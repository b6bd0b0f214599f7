// Recognizes prompts that callers send as token lists.

/** Decodes tokens of the requested model; returns null if some do not exist. */
export type DecodeTokens = (lists: readonly (readonly number[])[]) => Promise<readonly string[] | null>;

/** Reports whether a value is a token list; an empty list is none. */
export function isTokenList(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every(isToken);
}

function isToken(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}
