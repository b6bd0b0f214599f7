// Finds the position at which a text stops being JSON, for its author. RFC 8259.

export interface JsonFault {
  /** Both from 1. */
  line: number;
  column: number;
}

/** Beyond that no place is named unless the engine names it: looking takes time. */
const longestSearched = 512 * 1024;

/** Where `text`, which `JSON.parse` refused with `failure`, stops being JSON. Null: it is too long to look for the place. */
export function placeOfFault(text: string, failure: unknown): JsonFault | null {
  const said = failure instanceof Error ? failure.message : '';
  // Engines name the place differently, or not at all. What they quote of the text is not searched.
  const place = /\(line (\d+) column (\d+)\)$|line (\d+) column (\d+) of the JSON data$/.exec(said);
  if (place !== null) return { line: Number(place[1] ?? place[3]), column: Number(place[2] ?? place[4]) };
  const position = /at position (\d+)$/.exec(said);
  if (position !== null) return placeAt(text, Number(position[1]));
  return text.length > longestSearched ? null : placeAt(text, faultPosition(text));
}

function placeAt(text: string, position: number): JsonFault | null {
  if (position > longestSearched) return null;
  let line = 1;
  let begin = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < position; next = text.indexOf('\n', begin)) {
    line += 1;
    begin = next + 1;
  }
  return { line, column: position - begin + 1 };
}

const blanks = /[ \t\r\n]*/y;
const string = /"[^"\\\n\r\t]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\n\r\t]*)*"/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

type Wanted = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next';

/** The first character that cannot stand there; the length of the text where all of it can, but more is missing. */
function faultPosition(text: string): number {
  const closers: ('}' | ']')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  for (;;) {
    skip(blanks);
    const character = text[at];
    if (character === undefined) return at;
    const isClosing = character === closers.at(-1) && (wanted === 'next' || wanted.startsWith('first'));
    if (isClosing) {
      closers.pop();
      at += 1;
      wanted = 'next';
    } else if (wanted === 'next') {
      if (character !== ',' || closers.length === 0) return at;
      at += 1;
      wanted = closers.at(-1) === '}' ? 'name' : 'value';
    } else if (wanted === 'colon') {
      if (character !== ':') return at;
      at += 1;
      wanted = 'value';
    } else if (wanted === 'name' || wanted === 'first name') {
      if (!skip(string)) return at;
      wanted = 'colon';
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      at += 1;
      wanted = character === '{' ? 'first name' : 'first value';
    } else {
      if (!skip(string) && !skip(scalar)) return at;
      wanted = 'next';
    }
  }
}
