// Where code stands in Markdown: fences, and spans of any number of backticks. One pass, however many marks never close.

export interface Place {
  start: number;
  /** Behind its last letter. */
  end: number;
}

export function* codeIn(text: string): Iterable<Place> {
  const closing = new ClosingRuns(text);
  let from = 0;
  while (from < text.length) {
    const start = nextMark(text, from);
    if (start < 0) return;
    const length = runAt(text, start);
    const isFence = length >= 3 && beginsLine(text, start);
    const end = isFence ? endOfFence(text, start, length) : text.charAt(start) === '`' ? closing.after(start + length, length) : -1;
    if (end >= 0) yield { start: isFence ? startOfLine(text, start) : start, end };
    from = end < 0 ? start + length : end;
  }
}

function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text.charAt(at) === '`' || text.charAt(at) === '~') return at;
  return -1;
}

/** How often the letter there stands in a row. */
function runAt(text: string, start: number): number {
  let end = start + 1;
  while (text.charAt(end) === text.charAt(start)) end += 1;
  return end - start;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** At most three blanks stand before it. */
function beginsLine(text: string, start: number): boolean {
  let at = start;
  while (at > 0 && start - at < 3 && text.charAt(at - 1) === ' ') at -= 1;
  return at === 0 || text.charAt(at - 1) === '\n';
}

/** Behind the line that closes it; the text's end where none does. */
function endOfFence(text: string, start: number, length: number): number {
  const mark = text.charAt(start);
  for (let line = text.indexOf('\n', start + length); line >= 0; line = text.indexOf('\n', line + 1)) {
    let at = line + 1;
    while (at - line <= 3 && text.charAt(at) === ' ') at += 1;
    if (text.charAt(at) !== mark || runAt(text, at) < length) continue;
    at += runAt(text, at);
    while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at += 1;
    if (at >= text.length) return text.length;
    if (text.charAt(at) === '\n') return at;
  }
  return text.length;
}

/** Runs of backticks by their lengths, in order. */
class ClosingRuns {
  readonly #text: string;
  #byLength: Map<number, { starts: number[]; next: number }> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Position behind the first run of that length; -1 if there is none. Requested positions only grow. */
  after(from: number, length: number): number {
    this.#byLength ??= runsOf(this.#text);
    const runs = this.#byLength.get(length);
    if (runs === undefined) return -1;
    while ((runs.starts[runs.next] ?? from) < from) runs.next += 1;
    const start = runs.starts[runs.next];
    return start === undefined ? -1 : start + length;
  }
}

function runsOf(text: string): Map<number, { starts: number[]; next: number }> {
  const runs = new Map<number, { starts: number[]; next: number }>();
  for (let start = text.indexOf('`'); start >= 0;) {
    const length = runAt(text, start);
    const known = runs.get(length);
    if (known === undefined) runs.set(length, { starts: [start], next: 0 });
    else known.starts.push(start);
    start = text.indexOf('`', start + length);
  }
  return runs;
}
