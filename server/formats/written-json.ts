// A text of JSON as it is written: what events that are read without parsing them consist of.
import { parseObject } from '#server/framing/loose-json.ts';

/** Of these letters a text of JSON consists as it is written. */
export const plainLetters = /^[ !#-[\]-\uffff]*$/;

/** Null: what stands between the quotes is no text of JSON. */
export function readText(written: string): string | null {
  if (plainLetters.test(written)) return written;
  const text = parseObject(`{"text":"${written}"}`)?.['text'];
  return typeof text === 'string' ? text : null;
}
