// Scans JSON while it arrives, before parsing: 64 MB of empty objects take 1.4 GB as a tree and 20 s to parse, and some
// more brackets overflow the stack of recursive code.
import { AppError } from '#shared/errors.ts';
import { isEscapedAt } from './json-text.ts';
import { lettersPerPart, longestName, mostParts, mostValues } from './part-budget.ts';

/** Also the limit of storage. */
const deepest = 100;

const quote = 0x22;
const backslash = 0x5c;
/** Bytes of a text scanned individually before its end is searched: most texts are short. */
const near = 256;

export class JsonScan {
  #depth = 0;
  #values = 1;
  #parts = 0;
  #members = 0;
  #isText = false;
  #isEscaped = false;
  /** The last text has an escape among its first bytes. */
  #hasEscapes = false;
  #hasEscapedNames = false;
  /** Length of the last text. */
  #textBytes = 0;

  /** Objects, arrays, texts and names so far. */
  get parts(): number {
    return this.#parts;
  }

  /** All values so far, including numbers. */
  get values(): number {
    return this.#values;
  }

  /** Names so far, duplicates included. */
  get members(): number {
    return this.#members;
  }

  /** A name contains an escape. */
  get hasEscapedNames(): boolean {
    return this.#hasEscapedNames;
  }

  /** @throws {AppError} `body_too_complex`, `body_too_deep` */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#isText) {
        const end = this.#skipText(chunk, at);
        this.#textBytes += end - at;
        at = end;
        continue;
      }
      const byte = chunk[at];
      at += 1;
      if (byte === quote) {
        this.#isText = true;
        this.#hasEscapes = false;
        this.#textBytes = 0;
        this.#parts += 1;
      } else if (byte === 0x2c) this.#values += 1;
      else if (byte === 0x3a) {
        this.#members += 1;
        if (this.#hasEscapes) this.#hasEscapedNames = true;
        // Parsers copy long names and compare them letter by letter.
        if (this.#textBytes > longestName) this.#parts += Math.floor(this.#textBytes / lettersPerPart);
      } else if (byte === 0x7b || byte === 0x5b) {
        this.#parts += 1;
        this.#depth += 1;
        if (this.#depth > deepest) throw new AppError('body_too_deep', { limit: deepest });
      } else if (byte === 0x7d || byte === 0x5d) this.#depth -= 1;
    }
    if (this.#parts > mostParts || this.#values > mostValues) throw new AppError('body_too_complex');
  }

  /** Offset where the text that is open at `from` ends, or the chunk. */
  #skipText(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at += 1;
    }
    const singly = Math.min(chunk.length, at + near);
    while (at < singly) {
      const byte = chunk[at];
      at += 1;
      if (byte === quote) {
        this.#isText = false;
        return at;
      }
      if (byte !== backslash) continue;
      this.#hasEscapes = true;
      if (at === chunk.length) this.#isEscaped = true;
      at += 1;
    }
    if (at >= chunk.length) return chunk.length;
    const found = chunk.indexOf(quote, at);
    const end = found < 0 ? chunk.length : found;
    const isEscaped = isEscapedAt(chunk, at, end);
    if (found < 0) this.#isEscaped = isEscaped;
    else if (!isEscaped) this.#isText = false;
    return found < 0 ? end : end + 1;
  }
}
