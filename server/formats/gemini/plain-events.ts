// Reads stream events without parsing if they differ from the previous one in text and usage counts only, as most do.
// Their usage is parsed on request only, because the next event repeats it.
import { endOfText } from '#server/framing/json-text.ts';
import { readText } from '../written-json.ts';

export interface PlainEvent {
  text: string;
  choice: number;
  /** JSON of the usage. If null, there is none. */
  usage: string | null;
}

/** Maximum shapes learned per stream: learning one takes as long as parsing many events. */
const mostForms = 4;
/** Maximum characters of a shape; longer ones do not repeat. */
const longestForm = 2048;

/** Expression that matches events of the same shape as a parsed one. */
interface Form {
  /** Sticky, up to the end of the usage. Group 1 is the text, group 2 the usage. */
  begin: RegExp;
  end: string;
}

export class PlainEvents {
  #form: Form | null = null;
  #choice = 0;
  #forms = 0;

  /** Learns the shape of a parsed event that has only this text and possibly usage. */
  learn(data: string, { text, choice = 0 }: { text: string; choice?: number }): void {
    if (this.#forms === mostForms) return;
    this.#form = formOf(data, text);
    this.#choice = choice;
    this.#forms += 1;
  }

  /** Reads an event of a learned shape. If null, the event is different. */
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

/** Matches a member only: within a JSON string the first quote would be escaped. */
const textMember = /[{,]\s*"text"\s*:\s*"/;
const usageMember = /,\s*"usageMetadata"\s*:\s*\{/;
/** Characters of a JSON text up to its end. */
const anyText = String.raw`([^"\\]*(?:\\.[^"\\]*)*)`;
/** JSON integer. */
const anyNumber = String.raw`(?:0|[1-9]\d*)`;

function formOf(data: string, text: string): Form | null {
  const start = endOfMatch(textMember, data);
  const end = start < 0 ? -1 : endOfText(data, start);
  if (end < 0 || data.length - text.length > longestForm || readText(data.slice(start, end)) !== text) return null;
  const [before, rest] = [data.slice(0, start), data.slice(end)];
  // Member names must be unique in any spelling.
  if (before.includes('\\') || rest.includes('\\') || rest.includes('"text"') || before.includes('"usageMetadata"')) return null;
  const usageStart = endOfMatch(usageMember, rest) - 1;
  if (usageStart < 0) return rest.includes('"usageMetadata"') ? null : formWith(RegExp.escape(before) + anyText, rest);
  const usageEnd = endOfObject(rest, usageStart);
  if (usageEnd < 0 || rest.includes('"usageMetadata"', usageEnd)) return null;
  // Matches usage with the same members and other numbers.
  const usage = rest
    .slice(usageStart, usageEnd)
    .split(/\d+/)
    .map((piece) => RegExp.escape(piece));
  const begin = `${RegExp.escape(before)}${anyText}${RegExp.escape(rest.slice(0, usageStart))}(${usage.join(anyNumber)})`;
  return formWith(begin, rest.slice(usageEnd));
}

function formWith(begin: string, end: string): Form {
  // Copied: a slice would retain the whole received buffer.
  return { begin: new RegExp(begin, 'sy'), end: Buffer.from(end).toString() };
}

function endOfMatch(expression: RegExp, text: string): number {
  const found = expression.exec(text);
  return found === null ? -1 : found.index + found[0].length;
}

/** Returns the end of the object that begins at `from`, in valid JSON. */
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
