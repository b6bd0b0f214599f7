// Prompts beyond the model's context length, in the error of each format's clients.
import type { ErrorObject } from './api-surface.ts';

/** OpenAI's code, on which clients compact the conversation. */
export const tooLongCode = 'context_length_exceeded';

export function isTooLong({ code }: Pick<ErrorObject, 'code'>): boolean {
  return code === tooLongCode;
}

export interface Lengths {
  tokens: number;
  limit: number;
}

/** Smaller numbers are not prompt lengths. */
const leastLength = 256;

/** Actual and maximum length in the provider's message. If null, it has none. */
export function lengthsIn(message: string): Lengths | null {
  const words = message.replace(/ \(request id: [^)]*\)$/, '');
  const numbers = Array.from(words.matchAll(/\d+(?:,\d{3})*/g), ([digits]) => Number(digits.replaceAll(',', '')));
  const [one = 0, other = 0] = numbers.filter((number) => number >= leastLength && number < 1e9);
  const [limit, tokens] = one < other ? [one, other] : [other, one];
  return limit > 0 && tokens > limit ? { tokens, limit } : null;
}
