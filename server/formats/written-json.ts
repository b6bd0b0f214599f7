// JSON string literals in raw events that are not parsed.
import { parseObject } from '#server/framing/loose-json.ts';

/** Characters of a literal without escapes. */
export const plainLetters = /^[ !#-[\]-\uffff]*$/;

/** Returns null if the content is not a valid JSON string. */
export function readText(written: string): string | null {
  if (plainLetters.test(written)) return written;
  const text = parseObject(`{"text":"${written}"}`)?.['text'];
  return typeof text === 'string' ? text : null;
}
