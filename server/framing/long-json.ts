// Large JSON without copies of its texts: each long text is stored once, and the JSON contains a mark in its place.
// Parsed values get their texts back; written JSON gets the marks, and texts are escaped in pieces while they are sent.
// A body of 60 MB thus takes its own size, instead of four times that for bytes, text, tree and new bytes, each in one
// step of the event loop.
import { randomBytes } from 'node:crypto';
import { PiecedBody, ReadBuffer } from './byte-source.ts';
import { freeBytes } from './free-bytes.ts';
import { isObject } from './loose-json.ts';
import { addPieces, type LongText, settled, WrittenJson } from './written-json.ts';

/** Minimum bytes of a text that gets a mark. */
export const leastBytes = 256;
const bytesInAStep = 256 * 1024;

/** Long texts of one JSON. */
export class LongTexts {
  /** Random, so that no text can contain it. */
  readonly #mark: string;
  readonly #texts: LongText[];
  readonly #least: number;

  /** @param least minimum characters of a text that gets a mark when written */
  constructor(other?: LongTexts, least = leastBytes) {
    this.#least = least;
    this.#mark = other === undefined ? `${randomBytes(12).toString('hex')}:` : other.#mark;
    this.#texts = other === undefined ? [] : [...other.#texts];
  }

  /**
   * Returns the mark of a text.
   * @param isPlain whether it is ASCII without escapes
   */
  add(text: string, isPlain = false): string {
    return this.addText({ text, isPlain });
  }

  addText(long: LongText): string {
    this.#texts.push(long);
    return `${this.#mark}${this.#texts.length - 1}`;
  }

  /** Replaces marks by texts within the value. */
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

  /** JSON of a value, with marks in place of long texts. */
  write(value: unknown): string {
    return JSON.stringify(this.#lifted(value));
  }

  /** Total length of all texts, in characters. */
  get length(): number {
    return this.#texts.reduce((sum, { text, utf8 }) => sum + (utf8?.length ?? text.length), 0);
  }

  /** Decodes texts stored as bytes, one by one: at most two copies of each exist. */
  *settle(): Generator<void, void> {
    for (const long of this.#texts) {
      if (long.utf8 === undefined) continue;
      settled(long);
      yield;
    }
  }

  /** Body for JSON with marks. */
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

  /** Body for a value, written now. */
  bytesOf(value: unknown): Buffer | PiecedBody {
    return this.bytes(this.write(value));
  }

  /** Body for a value, written when it is measured. */
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

  /** JSON of a value, built in steps; undefined if nothing in it is long. */
  *text(value: unknown): Generator<void, string | undefined> {
    const json = this.write(value);
    if (!json.includes(this.#mark)) return undefined;
    // Concatenating strings would produce garbage.
    const bytes = yield* this.#bytesOf(json);
    const text = bytes.toString('utf8');
    freeBytes(bytes);
    return text;
  }

  /** Bytes of a value, in steps. */
  *buffer(value: unknown): Generator<void, Buffer> {
    const json = this.write(value);
    yield;
    return yield* this.#bytesOf(json);
  }

  *#bytesOf(json: string): Generator<void, Buffer> {
    const pieces = this.#pieces(json);
    const written = new WrittenJson(function* known() {
      yield;
      return pieces;
    });
    yield* written.measure();
    const bytes = Buffer.allocUnsafeSlow(written.size);
    const into = new ReadBuffer();
    for (let at = 0; at < bytes.length; at += bytesInAStep) {
      written.read(at, Math.min(bytes.length, at + bytesInAStep), into).copy(bytes, at);
      yield;
    }
    into.free();
    return bytes;
  }

  #pieces(json: string): LongText[] {
    const [before = '', ...parts] = json.split(this.#mark);
    const pieces: LongText[] = [];
    addPieces(pieces, { text: before, isPlain: false, isJson: true });
    for (const part of parts) {
      const end = part.indexOf('"');
      const long = this.#texts[Number(part.slice(0, end))];
      if (long === undefined) throw new Error('A text has no such mark');
      addPieces(pieces, settled(long));
      addPieces(pieces, { text: part.slice(end), isPlain: false, isJson: true });
    }
    return pieces;
  }

  #textOf(marked: string): LongText {
    const long = this.#texts[Number(marked.slice(this.#mark.length))];
    if (long === undefined) throw new Error('A text has no such mark');
    return settled(long);
  }

  /** Returns the same value if nothing in it is long. */
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

/** Supports the name `__proto__`. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** JSON of a value; with marks if it is large, for `bytesOfJson`. */
export function writeJson(value: unknown, texts: LongTexts | undefined): string {
  return texts === undefined ? JSON.stringify(value) : texts.write(value);
}

/** Body for JSON that `writeJson` has written, or that was read with these texts. */
export function bytesOfJson(json: string, texts: LongTexts | undefined): Buffer | PiecedBody {
  return texts === undefined ? Buffer.from(json) : texts.bytes(json);
}

/** Body for a value; a large one is written, and its bytes counted, when it is measured. */
export function bodyOfValue(value: unknown, texts: LongTexts | undefined): Buffer | PiecedBody {
  return texts === undefined ? Buffer.from(JSON.stringify(value)) : texts.body(value);
}
