// Names of objects in a JSON text as they are written: a parsed value does not show names that were written twice.
import { endOfText } from './json-text.ts';

const [quote, backslash] = ['"', '\\'];

export interface WrittenName {
  name: string;
  /** Another member of the same object has the same name. */
  isRepeated: boolean;
  /** Letters of the name are escaped. */
  isEscaped: boolean;
}

/** Yields the names of all objects in a valid JSON text, in their order. */
export function* writtenNames(text: string): Generator<WrittenName> {
  // Names of each open object; null for a list.
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === quote) {
      const end = endOfText(text, at + 1);
      const seen = open.at(-1);
      if (isName && seen !== null && seen !== undefined) {
        const written = text.slice(at, end + 1);
        const name = String(JSON.parse(written));
        yield { name, isRepeated: seen.has(name), isEscaped: written.includes(backslash) };
        seen.add(name);
      }
      isName = false;
      at = end;
    } else if (letter === '{' || letter === '[') {
      open.push(letter === '{' ? new Set() : null);
      isName = letter === '{';
    } else if (letter === '}' || letter === ']') {
      open.pop();
      isName = false;
    } else if (letter === ',') isName = open.at(-1) !== null;
  }
}
