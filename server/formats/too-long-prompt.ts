// A prompt that is longer than its model takes, as every format's clients know it.
import type { ErrorObject } from './client-dialect.ts';

/** OpenAI's code: its clients shorten the conversation by it. */
export const tooLongCode = 'context_length_exceeded';

export function isTooLong({ code }: Pick<ErrorObject, 'code'>): boolean {
  return code === tooLongCode;
}

export interface Lengths {
  tokens: number;
  limit: number;
}

/** Smaller numbers are none of a prompt that is too long. */
const leastLength = 256;

/** How long it is, and how long it may be, as its provider's words tell; null: they do not. */
export function lengthsIn(message: string): Lengths | null {
  const words = message.replace(/ \(request id: [^)]*\)$/, '');
  const numbers = Array.from(words.matchAll(/\d+(?:,\d{3})*/g), ([digits]) => Number(digits.replaceAll(',', '')));
  const [one = 0, other = 0] = numbers.filter((number) => number >= leastLength && number < 1e9);
  const [limit, tokens] = one < other ? [one, other] : [other, one];
  return limit > 0 && tokens > limit ? { tokens, limit } : null;
}
