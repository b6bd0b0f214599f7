import { type LimitField, useLimitWords } from './use-limit-words.ts';

/** A stored list of limits in words; what is no such list, or was cut off, as it is. */
export function LimitText({ field, text }: { field: LimitField; text: string }) {
  return useLimitWords().stored(field, text) ?? text;
}
