// How deep JSON of upstreams is nested, and how many parts it has, before anybody parses it: two million brackets take seconds to parse,
// and overflow the stack of whoever walks through them.
import { endOfText } from './json-text.ts';

/** As deep as callers' bodies may be. */
const deepest = 100;
/** Objects, lists, texts and names. A response with the probabilities of 8,000 tokens and their alternatives has as many. */
const mostParts = 1_000_000;
/** Shorter texts cost little, however deep they are, and do not overflow the stack of whoever writes them as JSON again. */
const shortText = 2 * 1024;

const quote = 0x22;

/** Whether a long text is nested deeper than responses are, or has more parts. Costs no more than parsing it. */
export function isTooDeep(text: string): boolean {
  if (text.length <= shortText) return false;
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      parts += 1;
      at = endOfText(text, at + 1);
      if (at < 0) return false;
    } else if (code === 0x5b || code === 0x7b) {
      parts += 1;
      depth += 1;
      if (depth > deepest || parts > mostParts) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}
