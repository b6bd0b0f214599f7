// Nearly all events of a stream differ from the one before in their text and in the numbers of their usage alone. Such an event is
// read without parsing it, and its usage not at all until somebody asks: the next event tells it again.
import { endOfText } from '#server/framing/json-text.ts';
import { readText } from '../written-json.ts';

export interface PlainEvent {
  text: string;
  choice: number;
  /** JSON of its usage; null: it tells none. */
  usage: string | null;
}

/** Forms that one stream may have: each costs as much as many events. */
const mostForms = 4;
/** Letters of a form; a longer one is no repetition. */
const longestForm = 2048;

/** An event that was parsed, as an expression for those that have its form. */
interface Form {
  /** Sticky; up to the usage's end. The text is its first group, the usage its second. */
  begin: RegExp;
  end: string;
}

export class PlainEvents {
  #form: Form | null = null;
  #choice = 0;
  #forms = 0;

  /** The event was parsed, and this text and perhaps its usage are all that it tells. */
  learn(data: string, { text, choice = 0 }: { text: string; choice?: number }): void {
    if (this.#forms === mostForms) return;
    this.#form = formOf(data, text);
    this.#choice = choice;
    this.#forms += 1;
  }

  /** What an event of the same form tells; null for every other. */
  read(data: string): PlainEvent | null {
    if (this.#form === null) return null;
    const { begin, end } = this.#form;
    begin.lastIndex = 0;
    const found = begin.exec(data);
    if (found === null || data.slice(begin.lastIndex) !== end) return null;
    const text = readText(found[1] ?? '');
    return text === null ? null : { text, choice: this.#choice, usage: found[2] ?? null };
  }
}

/** Within a text of JSON the first quote would be escaped. */
const textMember = /[{,]\s*"text"\s*:\s*"/;
const usageMember = /,\s*"usageMetadata"\s*:\s*\{/;
/** Letters of a text as JSON writes it, to its end. */
const anyText = String.raw`([^"\\]*(?:\\.[^"\\]*)*)`;
/** As JSON writes whole numbers. */
const anyNumber = String.raw`(?:0|[1-9]\d*)`;

function formOf(data: string, text: string): Form | null {
  const start = endOfMatch(textMember, data);
  const end = start < 0 ? -1 : endOfText(data, start);
  if (end < 0 || data.length - text.length > longestForm || readText(data.slice(start, end)) !== text) return null;
  const [before, rest] = [data.slice(0, start), data.slice(end)];
  // The members have to be the only ones of their names, under every spelling.
  if (before.includes('\\') || rest.includes('\\') || rest.includes('"text"') || before.includes('"usageMetadata"')) return null;
  const usageStart = endOfMatch(usageMember, rest) - 1;
  if (usageStart < 0) return rest.includes('"usageMetadata"') ? null : formWith(RegExp.escape(before) + anyText, rest);
  const usageEnd = endOfObject(rest, usageStart);
  if (usageEnd < 0 || rest.includes('"usageMetadata"', usageEnd)) return null;
  // A structure of which only numbers differ is JSON of the same members.
  const usage = rest
    .slice(usageStart, usageEnd)
    .split(/\d+/)
    .map((piece) => RegExp.escape(piece));
  const begin = `${RegExp.escape(before)}${anyText}${RegExp.escape(rest.slice(0, usageStart))}(${usage.join(anyNumber)})`;
  return formWith(begin, rest.slice(usageEnd));
}

function formWith(begin: string, end: string): Form {
  // A copy: a piece of an event would keep all the bytes that came with it.
  return { begin: new RegExp(begin, 'sy'), end: Buffer.from(end).toString() };
}

function endOfMatch(expression: RegExp, text: string): number {
  const found = expression.exec(text);
  return found === null ? -1 : found.index + found[0].length;
}

/** Offset behind the object that begins at `from`, in valid JSON. */
function endOfObject(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at += 1) {
    const letter = json[at];
    if (letter === '"') at = endOfText(json, at + 1);
    if (at < 0) return -1;
    if (letter === '{') depth += 1;
    else if (letter === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}
