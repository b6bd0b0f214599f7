// JSON that is written while it is read: long texts are escaped in pieces.
import { type ByteSource, PiecedBody, type ReadBuffer } from './byte-source.ts';
import { freeBytes } from './free-bytes.ts';

/** Letters escaped at a time. */
const pieceLetters = 32 * 1024;
/** Letters whose bytes are counted per step. */
const lettersInAStep = 256 * 1024;
const [quote, backslash] = [0x22, 0x5c];
/** Bytes of the longest escape, `\u003d`. */
const longestEscape = 6;
// oxlint-disable-next-line no-control-regex
export const control = /[\u0000-\u001F]/;
// oxlint-disable-next-line no-control-regex
const escaped = /["\\\u0000-\u001F\uD800-\uDFFF]/;

/** `isJson`: the text is JSON and written unchanged; otherwise it is escaped. */
export interface LongText {
  text: string;
  isPlain: boolean;
  isJson?: boolean;
  /** Bytes instead of `text`, until `settled`. */
  utf8?: Buffer;
}

/** Decodes the text. */
export function settled(long: LongText): LongText {
  const { utf8 } = long;
  if (utf8 === undefined) return long;
  long.text = utf8.toString('utf8');
  delete long.utf8;
  freeBytes(Buffer.from(utf8.buffer));
  return long;
}

export function addPieces(pieces: LongText[], { text, isPlain, isJson = false }: LongText): void {
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + pieceLetters);
    // Surrogate pairs stay together.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    pieces.push({ text: text.slice(at, end), isPlain, isJson });
    at = end;
  }
}

/** Three native searches take a third of the time of writing. */
function isPlainText(text: string): boolean {
  return !text.includes('"') && !text.includes('\\') && Buffer.byteLength(text) === text.length && !control.test(text);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}

export class WrittenJson implements ByteSource {
  /** Null once the pieces exist. */
  #make: (() => Generator<void, LongText[]>) | null;
  #pieces: readonly LongText[] = [];
  /** Start offsets of the pieces. */
  #starts = new Float64Array(0);
  #size = 0;
  /** Last written piece: a read that ends within it is followed by one that starts there. */
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

  /** A piece across two reads is read twice in a row. */
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

/** Bytes of a piece; also records whether it is plain. */
function sizeOf(piece: LongText): number {
  const { text, isPlain, isJson } = piece;
  if (isPlain) return text.length;
  const bytes = Buffer.byteLength(text);
  piece.isPlain = isJson === true ? bytes === text.length : isPlainText(text);
  return isJson === true || piece.isPlain ? bytes : bytes + escapeBytes(text);
}

/** Bytes that `JSON.stringify` adds to a text; several times as fast as writing it. */
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
      // A lone surrogate takes three bytes as text, and six as an escape.
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

/** Maximum characters of JSON that is written at once. */
const shortJson = 256 * 1024;

/** Body for JSON in pieces. */
export function bodyOfPieces(json: readonly string[]): Buffer | PiecedBody {
  if (json.reduce((sum, piece) => sum + piece.length, 0) <= shortJson) return Buffer.from(json.join(''));
  const written = new WrittenJson(function* split() {
    const pieces: LongText[] = [];
    for (const text of json) {
      addPieces(pieces, { text, isPlain: false, isJson: true });
      yield;
    }
    return pieces;
  });
  return new PiecedBody([written]);
}
