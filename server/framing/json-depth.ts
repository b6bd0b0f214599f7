// Checks depth and size of upstream JSON before parsing: two million brackets take seconds to parse, and overflow the
// stack of recursive code.
import { endOfText } from './json-text.ts';

/** Same limit as for callers' bodies. */
const deepest = 100;
/**
 * Objects, lists, texts and names. A response with log probabilities of 8,000 tokens and their alternatives has as
 * many.
 */
const mostParts = 1_000_000;
/** Shorter texts are fast at any depth, and cannot overflow the stack when serialized again. */
const shortText = 2 * 1024;

const quote = 0x22;

/** Reports whether a long text is nested deeper, or has more parts, than responses do. Costs no more than parsing. */
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
