// Reads JSON string literals in raw events that are not parsed.
import { parseObject } from '#server/framing/loose-json.ts';

/** Matches the content of a literal without escapes. */
export const plainLetters = /^[ !#-[\]-\uffff]*$/;

/** Returns the text of a literal's content; null if it is invalid. */
export function readText(written: string): string | null {
  if (plainLetters.test(written)) return written;
  const text = parseObject(`{"text":"${written}"}`)?.['text'];
  return typeof text === 'string' ? text : null;
}
