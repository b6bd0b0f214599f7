// Texts that callers have cut into tokens themselves.

/** The texts of tokens of the model that the client asked for. Null: some of them do not exist. */
export type DecodeTokens = (lists: readonly (readonly number[])[]) => Promise<readonly string[] | null>;

/** A text as tokens of a model; none is an empty one. */
export function isTokenList(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every(isToken);
}

function isToken(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}
