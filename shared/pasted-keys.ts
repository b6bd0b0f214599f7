// Keys as they are pasted or uploaded: one per line, files of credentials (JSON objects over any number of lines, one after the
// other), or a JSON array of either. Used by the console's form, by the server and by imports.
import { isChannelKey } from './channel-rules.ts';
import { type TypedKeyProblem, typedKeyProblem } from './channel-type-rules.ts';

export interface PastedKey {
  /** From 1, where the key begins; in an array, its position. */
  line: number;
  /** As it is stored: a file of credentials is one line of visible ASCII. */
  text: string;
  /** `key_characters`: a header cannot carry it, or a file of credentials is cut. Undefined if it may be a key of the type. */
  problem: TypedKeyProblem | 'key_characters' | undefined;
}

/** Characters of the longest key that is stored. */
const longestKey = 100_000;

/** Returns the keys in order, each once. @param type of the channel that they are for */
export function readPastedKeys(text: string, type: number): PastedKey[] {
  const found = new Map<string, PastedKey>();
  for (const { line, text: key } of split(text.replace(/^\uFEFF/, ''))) {
    if (found.has(key)) continue;
    const isSendable = isChannelKey(key) && key.length <= longestKey && !isCutFile(key);
    found.set(key, { line, text: key, problem: isSendable ? typedKeyProblem(type, key) : 'key_characters' });
  }
  return [...found.values()];
}

/** Last characters of a key, by which a person recognizes it; of a file, of the id that it has. At most a quarter of the key. */
export function keyEnding(key: string): string {
  const shown = shownPart(key);
  return shown.slice(shown.length - Math.min(4, Math.floor(shown.length / 4)));
}

/** Members of credential files that identify them and are no secret, the most specific first. */
const fileIds = ['private_key_id', 'account_id', 'client_id', 'client_email'];

function shownPart(key: string): string {
  const file = key.startsWith('{') ? parsedObject(key) : undefined;
  if (file === undefined) {
    // `AccessKeyId|SecretKey|Region` and the like: the end is a region, or the secret of an id.
    return key.includes('|') ? (key.split('|')[0] ?? key) : key;
  }
  const inner = file['tokens'];
  const members = typeof inner === 'object' && inner !== null ? { ...file, ...inner } : file;
  for (const name of fileIds) {
    const value: unknown = Object.getOwnPropertyDescriptor(members, name)?.value;
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

interface Piece {
  line: number;
  text: string;
}

function split(text: string): Piece[] {
  const trimmed = text.trim();
  const list = trimmed.startsWith('[') ? parsed(trimmed) : undefined;
  if (Array.isArray(list)) {
    return list.flatMap((one: unknown, index): Piece[] => {
      const key = typeof one === 'string' ? one.trim() : typeof one === 'object' && one !== null ? asciiJson(one) : '';
      return key === '' ? [] : [{ line: index + 1, text: key }];
    });
  }
  const pieces: Piece[] = [];
  const lines = text.split(/\r\n|\r|\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]?.trim() ?? '';
    if (line === '') continue;
    if (!line.startsWith('{')) {
      pieces.push({ line: at + 1, text: line });
      continue;
    }
    const first = at;
    const depth = createDepth();
    let isWhole = depth(line);
    while (!isWhole && at + 1 < lines.length) isWhole = depth(lines[++at] ?? '');
    const source = lines.slice(first, at + 1).join('\n');
    for (const file of filesIn(source.trim())) pieces.push({ line: first + 1, text: file });
  }
  return pieces;
}

/** Files on one line may follow each other without a space. */
function filesIn(source: string): string[] {
  const file = parsedObject(source);
  if (file !== undefined) return [asciiJson(file)];
  const files: string[] = [];
  let from = 0;
  const depth = createDepth();
  for (let at = 0; at < source.length; at += 1) {
    if (!depth(source[at] ?? '') || source[at] !== '}') continue;
    const one = parsedObject(source.slice(from, at + 1));
    if (one === undefined) return [source.replaceAll(/\s+/g, ' ')];
    files.push(asciiJson(one));
    from = at + 1;
  }
  return source.slice(from).trim() === '' ? files : [...files, source.slice(from).trim()];
}

/** Returns a function that reads on and reports whether every brace outside of strings is closed. */
function createDepth(): (text: string) => boolean {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  return (text) => {
    for (const letter of text) {
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (letter === '\\') isEscaped = true;
        else if (letter === '"') isInString = false;
      } else if (letter === '"') isInString = true;
      else if (letter === '{') depth += 1;
      else if (letter === '}') depth -= 1;
    }
    return depth <= 0;
  };
}

function isCutFile(key: string): boolean {
  return key.startsWith('{') && parsedObject(key) === undefined;
}

/** In one line, and with what is no visible ASCII escaped. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
