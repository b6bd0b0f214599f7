// Large JSON without copies of its texts: each text that is long stands by itself, once, and the JSON around it has a mark in its place. What is
// parsed gets the texts back; what is written gets the marks again, and the texts are escaped piece by piece while they are sent. A body of 60 MB
// takes its own size like that, where bytes, text, tree and new bytes would take it four times, each in one step of the event loop.
import { randomBytes } from 'node:crypto';
import { PiecedBody } from './byte-source.ts';
import type { ByteSource, ReadBuffer } from './byte-source.ts';
import { freeBytes } from './free-bytes.ts';
import { isObject } from './loose-json.ts';

/** Bytes of the shortest text that gets a mark. */
export const leastBytes = 256;
/** Letters that are escaped at once. */
const pieceLetters = 32 * 1024;
/** Letters whose bytes are counted in one step. */
const lettersInAStep = 256 * 1024;
const [quote, backslash] = [0x22, 0x5c];
/** Bytes of the longest escape, `\u003d`. */
const longestEscape = 6;
// oxlint-disable-next-line no-control-regex
export const control = /[\u0000-\u001F]/;

// oxlint-disable-next-line no-control-regex
const escaped = /["\\\u0000-\u001F\uD800-\uDFFF]/;

/** The long texts of one JSON. */
export class LongTexts {
  /** Nobody who writes a text can guess it. */
  readonly #mark: string;
  readonly #texts: LongText[];
  readonly #least: number;

  /** @param least characters of the shortest text that gets a mark when something is written */
  constructor(other?: LongTexts, least = leastBytes) {
    this.#least = least;
    this.#mark = other === undefined ? `${randomBytes(12).toString('hex')}:` : other.#mark;
    this.#texts = other === undefined ? [] : [...other.#texts];
  }

  /** Returns the mark of a text. @param isPlain it is ASCII without anything to escape */
  add(text: string, isPlain = false): string {
    this.#texts.push({ text, isPlain });
    return `${this.#mark}${this.#texts.length - 1}`;
  }

  /** Puts the texts in the place of their marks, within the value itself. */
  fill(value: unknown): unknown {
    if (typeof value === 'string') return value.startsWith(this.#mark) ? this.#textOf(value).text : value;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at += 1) {
        const item: unknown = value[at];
        if (typeof item === 'string' || typeof item === 'object') value[at] = this.fill(item);
      }
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === 'string' ? member.startsWith(this.#mark) : typeof member === 'object') define(value, name, this.fill(member));
      }
    }
    return value;
  }

  /** JSON of a value, with marks in the place of long texts. */
  write(value: unknown): string {
    return JSON.stringify(this.#lifted(value));
  }

  /** Of all texts, in characters. */
  get length(): number {
    return this.#texts.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** What is sent for JSON with marks in it. */
  bytes(json: string): Buffer | PiecedBody {
    if (!json.includes(this.#mark)) return Buffer.from(json);
    const pieces = () => this.#pieces(json);
    return new PiecedBody([
      new WrittenJson(function* split() {
        const all = pieces();
        yield;
        return all;
      }),
    ]);
  }

  /** What is sent for a value, which is written when that is measured. */
  body(value: unknown): PiecedBody {
    const write = () => this.write(value);
    const pieces = (json: string) => this.#pieces(json);
    return new PiecedBody([
      new WrittenJson(function* written() {
        const json = write();
        yield;
        const all = pieces(json);
        yield;
        return all;
      }),
    ]);
  }

  /** JSON of a value, put together in steps; undefined: nothing in it is long. */
  *text(value: unknown): Generator<void, string | undefined> {
    const json = this.write(value);
    if (!json.includes(this.#mark)) return undefined;
    const written: string[] = [];
    let letters = 0;
    for (const piece of this.#pieces(json)) {
      written.push(piece.isPlain ? piece.text : lettersOf(piece));
      letters += piece.text.length;
      if (letters < lettersInAStep) continue;
      letters = 0;
      yield;
    }
    yield;
    return written.join('');
  }

  #pieces(json: string): LongText[] {
    const [before = '', ...parts] = json.split(this.#mark);
    const pieces: LongText[] = [];
    addPieces(pieces, { text: before, isPlain: false, isJson: true });
    for (const part of parts) {
      const end = part.indexOf('"');
      const long = this.#texts[Number(part.slice(0, end))];
      if (long === undefined) throw new Error('A text has no such mark');
      addPieces(pieces, long);
      addPieces(pieces, { text: part.slice(end), isPlain: false, isJson: true });
    }
    return pieces;
  }

  #textOf(marked: string): LongText {
    const long = this.#texts[Number(marked.slice(this.#mark.length))];
    if (long === undefined) throw new Error('A text has no such mark');
    return long;
  }

  /** The very same value where nothing in it is long. */
  #lifted(value: unknown): unknown {
    if (typeof value === 'string') return value.length < this.#least ? value : this.add(value);
    if (Array.isArray(value)) {
      let list: unknown[] | undefined;
      for (let at = 0; at < value.length; at += 1) {
        const item: unknown = value[at];
        if (typeof item !== 'string' && typeof item !== 'object') continue;
        const lifted = this.#lifted(item);
        if (lifted !== item) (list ??= [...value])[at] = lifted;
      }
      return list ?? value;
    }
    if (!isObject(value)) return value;
    let object: Record<string, unknown> | undefined;
    for (const [name, member] of Object.entries(value)) {
      const lifted = this.#lifted(member);
      if (lifted !== member) define((object ??= { ...value }), name, lifted);
    }
    return object ?? value;
  }
}

/** `isJson`: it stands as it is; else it is the letters of a text, to be escaped. */
export interface LongText {
  text: string;
  isPlain: boolean;
  isJson?: boolean;
}

/** `__proto__` is a name as any other. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function addPieces(pieces: LongText[], { text, isPlain, isJson = false }: LongText): void {
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + pieceLetters);
    // Two halves of one character are written together.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    pieces.push({ text: text.slice(at, end), isPlain, isJson });
    at = end;
  }
}

/** Three looks for what JSON escapes cost a third of writing it. */
function isPlainText(text: string): boolean {
  return !text.includes('"') && !text.includes('\\') && Buffer.byteLength(text) === text.length && !control.test(text);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}

class WrittenJson implements ByteSource {
  /** Null once the pieces are there. */
  #make: (() => Generator<void, LongText[]>) | null;
  #pieces: readonly LongText[] = [];
  /** Where each of them begins. */
  #starts = new Float64Array(0);
  #size = 0;
  /** The piece that was written last: a read that ends within it is followed by one that begins there. */
  #last: { index: number; bytes: Buffer } | null = null;

  constructor(make: () => Generator<void, LongText[]>) {
    this.#make = make;
  }

  get size(): number {
    if (this.#make !== null) {
      const steps = this.measure();
      while (steps.next().done !== true);
    }
    return this.#size;
  }

  *measure(): Generator<void, void> {
    if (this.#make === null) return;
    const pieces = yield* this.#make();
    const starts = new Float64Array(pieces.length);
    let [size, looked] = [0, 0];
    for (const [index, piece] of pieces.entries()) {
      starts[index] = size;
      size += sizeOf(piece);
      looked += piece.text.length;
      if (looked < lettersInAStep) continue;
      looked = 0;
      yield;
    }
    [this.#make, this.#pieces, this.#starts, this.#size] = [null, pieces, starts, size];
  }

  read(from: number, to: number, into?: ReadBuffer): Buffer {
    const bytes = into?.take(to - from) ?? Buffer.allocUnsafe(to - from);
    let index = this.#pieceAt(from);
    for (let at = from; at < to; index += 1) {
      const start = this.#starts[index] ?? 0;
      const end = this.#starts[index + 1] ?? this.size;
      if (start >= from && end <= to) this.#write(index, bytes.subarray(start - from, end - from));
      else this.#copy(index).copy(bytes, at - from, at - start, Math.min(end, to) - start);
      at = Math.min(end, to);
    }
    return bytes;
  }

  hold(): () => void {
    return () => this.#forget();
  }

  #write(index: number, into: Buffer): void {
    const piece = this.#piece(index);
    if (piece.isPlain) into.write(piece.text, 'latin1');
    else into.write(lettersOf(piece), 'utf8');
  }

  /** Pieces in which a read begins or ends are read twice, one after the other. */
  #copy(index: number): Buffer {
    if (this.#last?.index === index) return this.#last.bytes;
    this.#forget();
    const piece = this.#piece(index);
    const bytes = piece.isPlain ? Buffer.from(piece.text, 'latin1') : Buffer.from(lettersOf(piece));
    this.#last = { index, bytes };
    return bytes;
  }

  #forget(): void {
    if (this.#last !== null) freeBytes(this.#last.bytes);
    this.#last = null;
  }

  #piece(index: number): LongText {
    const piece = this.#pieces[index];
    if (piece === undefined) throw new RangeError('Nothing is written there');
    return piece;
  }

  #pieceAt(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Bytes of a piece, which is noted to be plain where it is. */
function sizeOf(piece: LongText): number {
  const { text, isPlain, isJson } = piece;
  if (isPlain) return text.length;
  const bytes = Buffer.byteLength(text);
  piece.isPlain = isJson === true ? bytes === text.length : isPlainText(text);
  return isJson === true || piece.isPlain ? bytes : bytes + escapeBytes(text);
}

/** Bytes that `JSON.stringify` adds to the letters of a text; several times as fast as writing it. */
function escapeBytes(text: string): number {
  let added = 0;
  const first = text.search(escaped);
  if (first < 0) return 0;
  for (let at = first; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote || code === backslash) added += 1;
    else if (code < 0x20) added += shortEscapes.has(code) ? 1 : longestEscape - 1;
    else if (code >= 0xd8_00 && code <= 0xdf_ff) {
      const next = text.charCodeAt(at + 1);
      // Half a character is three bytes as text, and six as an escape.
      if (isHighSurrogate(code) && next >= 0xdc_00 && next <= 0xdf_ff) at += 1;
      else added += 3;
    }
  }
  return added;
}

/** `\b`, `\t`, `\n`, `\f`, `\r` */
const shortEscapes: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

function lettersOf({ text, isJson }: LongText): string {
  return isJson === true ? text : JSON.stringify(text).slice(1, -1);
}

/** JSON of a value: of a large one with marks, which `bytesOfJson` takes. */
export function writeJson(value: unknown, texts: LongTexts | undefined): string {
  return texts === undefined ? JSON.stringify(value) : texts.write(value);
}

/** What is sent of JSON that `writeJson` has written, or that came with these texts. */
export function bytesOfJson(json: string, texts: LongTexts | undefined): Buffer | PiecedBody {
  return texts === undefined ? Buffer.from(json) : texts.bytes(json);
}

/** What is sent for a value: of a large one it is written, and its bytes counted, when that is measured. */
export function bodyOfValue(value: unknown, texts: LongTexts | undefined): Buffer | PiecedBody {
  return texts === undefined ? Buffer.from(JSON.stringify(value)) : texts.body(value);
}
