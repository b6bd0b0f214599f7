// Nearly all events of a stream are deltas of one text: they differ in it, in their number and in the padding that hides their
// length alone. Such an event is read without parsing it.
import { endOfText } from '#server/framing/json-text.ts';
import { readText } from '../written-json.ts';

/** Forms that one stream may have: what never repeats costs no more than these. */
const mostForms = 4;
/** Letters of a form; a longer one is no repetition. */
const longestForm = 1024;

/** Members that differ from event to event. */
const differing = /"(delta|sequence_number|obfuscation)"\s*:\s*/g;
const wholeNumber = /0(?!\d)|[1-9]\d*/y;
/** With its quotes. Nothing else is taken for padding. */
const padding = /"[\w-]*"/y;

interface Form {
  /** What each of the members stands behind. */
  pieces: { before: string; name: string }[];
  end: string;
}

export class PlainDeltas {
  #form: Form | null = null;
  #place = 0;
  #forms = 0;

  /** The event was parsed, and this text of the item at `place` is all that it tells. */
  learn(data: string, { text, place }: { text: string; place: number }): void {
    if (this.#forms === mostForms) return;
    this.#form = formOf(data, text);
    this.#place = place;
    this.#forms += 1;
  }

  /** What an event of the same form tells; null for every other. */
  read(data: string): { text: string; place: number } | null {
    if (this.#form === null) return null;
    let at = 0;
    let text: string | null = null;
    for (const { before, name } of this.#form.pieces) {
      const start = at + before.length;
      // Equal slices are found out sooner than by `startsWith`.
      if (data.slice(at, start) !== before) return null;
      at = endOfValue(data, name, start);
      if (at < 0) return null;
      if (name === 'delta') text = readText(data.slice(start + 1, at - 1));
    }
    return text === null || data.slice(at) !== this.#form.end ? null : { text, place: this.#place };
  }
}

/** Null: it cannot be one. */
function formOf(data: string, text: string): Form | null {
  if (data.length - text.length > longestForm) return null;
  // A copy: a piece of an event would keep all the bytes that came with it.
  const event = Buffer.from(data).toString();
  const pieces: Form['pieces'] = [];
  let at = 0;
  for (const found of event.matchAll(differing)) {
    // Within the text itself.
    if (found.index < at) continue;
    const name = found[1] ?? '';
    const start = found.index + found[0].length;
    const end = endOfValue(event, name, start);
    // The members have to be the only ones of their names.
    if (end < 0 || pieces.some((piece) => piece.name === name)) return null;
    if (name === 'delta' && readText(event.slice(start + 1, end - 1)) !== text) return null;
    pieces.push({ before: event.slice(at, start), name });
    at = end;
  }
  const end = event.slice(at);
  // Nothing else may hide a name in another spelling.
  const isSound = pieces.some(({ name }) => name === 'delta') && ![...pieces.map(({ before }) => before), end].join('').includes('\\');
  return isSound ? { pieces, end } : null;
}

/** Offset behind a value that may differ; -1: it is another one. */
function endOfValue(data: string, name: string, start: number): number {
  if (name === 'delta') {
    const end = data[start] === '"' ? endOfText(data, start + 1) : -1;
    return end < 0 ? -1 : end + 1;
  }
  const expression = name === 'sequence_number' ? wholeNumber : padding;
  expression.lastIndex = start;
  return expression.test(data) ? expression.lastIndex : -1;
}
