// Reads deltas of a text without parsing if they differ from the previous one in text, number and padding only, as most
// events of a stream do.
import { endOfText } from '#server/framing/json-text.ts';
import { readText } from '../written-json.ts';

/** Maximum shapes learned per stream, in case events never repeat. */
const mostForms = 4;
/** Maximum characters of a shape; longer ones do not repeat. */
const longestForm = 1024;

/** Members that differ between events. */
const differing = /"(delta|sequence_number|obfuscation)"\s*:\s*/g;
const wholeNumber = /0(?!\d)|[1-9]\d*/y;
/** Matches quoted padding; events with other values are parsed. */
const padding = /"[\w-]*"/y;

interface Form {
  /** Text before each of the members. */
  pieces: { before: string; name: string }[];
  end: string;
}

export class PlainDeltas {
  #form: Form | null = null;
  #place = 0;
  #forms = 0;

  /** Learns the shape of a parsed event that has only this text and belongs to the item at `place`. */
  learn(data: string, { text, place }: { text: string; place: number }): void {
    if (this.#forms === mostForms) return;
    this.#form = formOf(data, text);
    this.#place = place;
    this.#forms += 1;
  }

  /** Reads an event of the learned shape; null if it has another one. */
  read(data: string): { text: string; place: number } | null {
    if (this.#form === null) return null;
    let at = 0;
    let text: string | null = null;
    for (const { before, name } of this.#form.pieces) {
      const start = at + before.length;
      // Comparing slices is faster than `startsWith`.
      if (data.slice(at, start) !== before) return null;
      at = endOfValue(data, name, start);
      if (at < 0) return null;
      if (name === 'delta') text = readText(data.slice(start + 1, at - 1));
    }
    return text === null || data.slice(at) !== this.#form.end ? null : { text, place: this.#place };
  }
}

/** Returns null if the event has no usable shape. */
function formOf(data: string, text: string): Form | null {
  if (data.length - text.length > longestForm) return null;
  // Copied: a slice would retain the whole received buffer.
  const event = Buffer.from(data).toString();
  const pieces: Form['pieces'] = [];
  let at = 0;
  for (const found of event.matchAll(differing)) {
    // Skips matches within the text.
    if (found.index < at) continue;
    const name = found[1] ?? '';
    const start = found.index + found[0].length;
    const end = endOfValue(event, name, start);
    // Member names must be unique.
    if (end < 0 || pieces.some((piece) => piece.name === name)) return null;
    if (name === 'delta' && readText(event.slice(start + 1, end - 1)) !== text) return null;
    pieces.push({ before: event.slice(at, start), name });
    at = end;
  }
  const end = event.slice(at);
  // Escapes outside the text could hide another member of the same name.
  const isSound = pieces.some(({ name }) => name === 'delta') && ![...pieces.map(({ before }) => before), end].join('').includes('\\');
  return isSound ? { pieces, end } : null;
}

/** Returns the end of a value that may differ, or -1. */
function endOfValue(data: string, name: string, start: number): number {
  if (name === 'delta') {
    const end = data[start] === '"' ? endOfText(data, start + 1) : -1;
    return end < 0 ? -1 : end + 1;
  }
  const expression = name === 'sequence_number' ? wholeNumber : padding;
  expression.lastIndex = start;
  return expression.test(data) ? expression.lastIndex : -1;
}
