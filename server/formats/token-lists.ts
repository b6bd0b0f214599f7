// Prompts that callers send as token lists.

/** Decodes tokens of the requested model. If null, some do not exist. */
export type DecodeTokens = (lists: readonly (readonly number[])[]) => Promise<readonly string[] | null>;

/** Whether a value is a token list; an empty list is one. */
export function isTokenList(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every(isToken);
}

function isToken(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}
