// What a provider's answer names of its account, in the names that its caller knows. Only members of JSON are found: what a model writes has its quotes
// escaped. The rest of the answer stays the bytes that it was, also what a caller has named himself (`attributes`, schemas).

const ofObjects = [Buffer.from('"file_id"'), Buffer.from('"vector_store_ids"')];
const ofFilenames = Buffer.from('"filename"');
/** Members whose own members have names of the caller's choice: of what he has attached, and of what his tools and texts are to be made of. */
const ofCallers = ['attributes', 'metadata', 'parameters', 'schema', 'input_schema'].map((name) => Buffer.from(`"${name}"`));
const longestName = 256;
/** Bytes of the name of a file, each of whose characters may be escaped. */
const longestFilename = 2048;
/** Space, tab and ends of lines. */
const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const [colon, quote, backslash, opening, brace, endBrace] = [0x3a, 0x22, 0x5c, 0x5b, 0x7b, 0x7d];

/** Names that are no files or stores, such as those of containers, stay as they are. */
const ofAccount = /^(?:file|vs|assistant)[-_]/;

interface Range {
  start: number;
  end: number;
}

/** Without the quotes. */
interface Found extends Range {
  name: string;
}

export interface IdsToRestore {
  /** Of a file or a store that the provider calls so. */
  idOf(name: string): string;
  filenameOf(reported: string): string;
}

export function createIdRestorer({ idOf, filenameOf }: IdsToRestore): (answer: Buffer) => Buffer {
  return (answer) => {
    const objects = ofObjects
      .flatMap((member) => namesOf(answer, member, nameAt))
      .map((found) => ({ ...found, reported: ofAccount.test(found.name) ? idOf(found.name) : found.name }));
    const files = namesOf(answer, ofFilenames, filenameAt).map((found) => ({ ...found, reported: filenameOf(found.name) }));
    const named = [...objects, ...files].filter(({ name, reported }) => reported !== name);
    if (named.length === 0) return answer;
    const changed = outside(
      named,
      ofCallers.flatMap((member) => objectsOf(answer, member)),
    );
    const pieces: Buffer[] = [];
    let from = 0;
    for (const { start, end, reported } of changed) {
      pieces.push(answer.subarray(from, start), Buffer.from(JSON.stringify(reported).slice(1, -1)));
      from = end;
    }
    return from === 0 ? answer : Buffer.concat([...pieces, answer.subarray(from)]);
  };
}

type ReadName = (answer: Buffer, at: number) => Found | null;

/** The texts behind each member of that name: one, or a list of them. */
function namesOf(answer: Buffer, member: Buffer, read: ReadName): Found[] {
  const found: Found[] = [];
  for (let at = answer.indexOf(member); at >= 0; at = answer.indexOf(member, at + member.length)) {
    // Within a text the quote before the name is escaped.
    if (answer[at - 1] === backslash) continue;
    let next = behindSpaces(answer, at + member.length);
    if (answer[next] !== colon) continue;
    next = behindSpaces(answer, next + 1);
    if (answer[next] !== opening) {
      const one = read(answer, next);
      if (one !== null) found.push(one);
      continue;
    }
    next = behindSpaces(answer, next + 1);
    for (let one = read(answer, next); one !== null; one = read(answer, next)) {
      found.push(one);
      // The quote, and a comma.
      next = behindSpaces(answer, behindSpaces(answer, one.end + 1) + 1);
    }
  }
  return found;
}

/** What stands in none of the objects, in its order. */
function outside<Named extends Range>(named: readonly Named[], objects: readonly Range[]): Named[] {
  const byStart = (one: Range, other: Range) => one.start - other.start;
  const next = objects.toSorted(byStart).values();
  let object = next.next().value;
  let until = 0;
  return named.toSorted(byStart).filter(({ start }) => {
    for (; object !== undefined && object.start < start; object = next.next().value) until = Math.max(until, object.end);
    return start >= until;
  });
}

/** Where the objects behind each member of that name begin and end; none within another of them. */
function objectsOf(answer: Buffer, member: Buffer): Range[] {
  const found: Range[] = [];
  for (let at = answer.indexOf(member); at >= 0;) {
    const colonAt = behindSpaces(answer, at + member.length);
    const start = behindSpaces(answer, colonAt + 1);
    let end = at + member.length;
    if (answer[at - 1] !== backslash && answer[colonAt] === colon && answer[start] === brace) {
      end = behindObject(answer, start);
      found.push({ start, end });
    }
    at = answer.indexOf(member, end);
  }
  return found;
}

/** @param start of an object; one that has no end ends with the answer */
function behindObject(answer: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < answer.length; at += 1) {
    if (answer[at] === quote) at = endOfText(answer, at);
    else if (answer[at] === brace) depth += 1;
    else if (answer[at] === endBrace) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return answer.length;
}

/** Where the quote is that ends it, or the answer. */
function endOfText(answer: Buffer, start: number): number {
  let at = start + 1;
  while (at < answer.length && answer[at] !== quote) at += answer[at] === backslash ? 2 : 1;
  return at;
}

function behindSpaces(answer: Buffer, at: number): number {
  let next = at;
  while (spaces.has(answer[next])) next += 1;
  return next;
}

/** Null: there is none, or no name. */
function nameAt(answer: Buffer, at: number): Found | null {
  if (answer[at] !== quote) return null;
  const end = answer.indexOf(quote, at + 1);
  if (end < 0 || end - at > longestName) return null;
  const name = answer.toString('latin1', at + 1, end);
  return name.includes('\\') ? null : { start: at + 1, end, name };
}

/** The same, whose characters may be escaped. */
function filenameAt(answer: Buffer, at: number): Found | null {
  if (answer[at] !== quote) return null;
  let end = at + 1;
  for (; answer[end] !== quote; end += answer[end] === backslash ? 2 : 1)
    if (end >= answer.length || end - at > longestFilename) return null;
  try {
    const name: unknown = JSON.parse(answer.toString('utf8', at, end + 1));
    return typeof name === 'string' ? { start: at + 1, end, name } : null;
  } catch {
    // It is no text of JSON's.
    return null;
  }
}
