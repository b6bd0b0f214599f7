// What a provider's answer names of its account, in the names that its caller knows. Only members of JSON are found: what a model writes has its quotes
// escaped. The rest of the answer stays the bytes that it was.

const ofObjects = [Buffer.from('"file_id"'), Buffer.from('"vector_store_ids"')];
const ofFilenames = Buffer.from('"filename"');
const longestName = 256;
/** Bytes of the name of a file, each of whose characters may be escaped. */
const longestFilename = 2048;
/** Space, tab and ends of lines. */
const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const [colon, quote, backslash, opening] = [0x3a, 0x22, 0x5c, 0x5b];

/** Names that are no files or stores, such as those of containers, stay as they are. */
const ofAccount = /^(?:file|vs|assistant)[-_]/;

interface Found {
  /** Without the quotes. */
  start: number;
  end: number;
  name: string;
}

export interface NamesToTell {
  /** Of a file or a store that the provider calls so. */
  idOf(name: string): string;
  filenameOf(told: string): string;
}

export function createTeller({ idOf, filenameOf }: NamesToTell): (answer: Buffer) => Buffer {
  return (answer) => {
    const objects = ofObjects
      .flatMap((member) => namesOf(answer, member, nameAt))
      .map((found) => ({ ...found, told: ofAccount.test(found.name) ? idOf(found.name) : found.name }));
    const files = namesOf(answer, ofFilenames, filenameAt).map((found) => ({ ...found, told: filenameOf(found.name) }));
    const changed = [...objects, ...files].filter(({ name, told }) => told !== name).toSorted((one, other) => one.start - other.start);
    const pieces: Buffer[] = [];
    let from = 0;
    for (const { start, end, told } of changed) {
      pieces.push(answer.subarray(from, start), Buffer.from(JSON.stringify(told).slice(1, -1)));
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
