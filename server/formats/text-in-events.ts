// Extracts the model's text from raw events or bodies without parsing their JSON.
import { endOfText } from '#server/framing/json-text.ts';

/**
 * Joins the string values of the keys.
 * @param keys global expression that matches a quoted key
 */
export function textOf(raw: string, keys: RegExp): string {
  let text = '';
  for (const piece of textsIn(raw, keys)) text += piece;
  return text;
}

/** Yields the string values of a key. Scans without an expression for values, which would store every character. */
export function* textsIn(raw: string, key: RegExp): Generator<string> {
  const keys = new RegExp(key);
  while (keys.test(raw)) {
    const colonAt = skipBlanks(raw, keys.lastIndex);
    const start = raw[colonAt] === ':' ? skipBlanks(raw, colonAt + 1) : colonAt;
    keys.lastIndex = start;
    if (raw[colonAt] !== ':' || raw[start] !== '"') continue;
    const end = endOfText(raw, start + 1);
    if (end < 0) return;
    yield readString(raw.slice(start, end + 1));
    keys.lastIndex = end + 1;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function readString(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : '';
  } catch {
    return literal.slice(1, -1); // invalid escape: unchanged
  }
}
