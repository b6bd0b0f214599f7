// One budget for all JSON that a caller makes this process parse and hold: a body, the texts of JSON in it, copies that references in its
// schemas ask for, stored items, sealed windows, what a socket remembers. Parts are counted before anything is built of them, because
// bytes do not bound a tree: 1 MB of empty objects is 20 MB parsed.
import { AppError } from '#shared/errors.ts';
import { parseObject } from './loose-json.ts';
import type { JsonObject } from './loose-json.ts';

/** Objects, arrays, texts and names: what costs most to parse and to hold. */
export const mostParts = 100_000;
/** All values, numbers included. */
export const mostValues = 1_000_000;
/** Bytes of memory that a parsed part takes beside its text, roughly. */
export const partBytes = 64;

export interface JsonSize {
  parts: number;
  values: number;
}

/** Receives the bytes of memory that parts take before they are built. @throws {AppError} `bodies_of_caller`, `bodies_of_server` */
export type GrowHold = (bytes: number) => void;

export class PartBudget {
  #parts: number;
  #values: number;
  readonly #grow: GrowHold | undefined;

  /**
   * @param taken what the body itself has: `RawBody.parts`
   * @param grow `BodyHold.grow`, for what is taken from now on; missing: nothing is held
   */
  constructor(taken = 0, grow?: GrowHold) {
    this.#parts = Math.max(0, mostParts - taken);
    this.#values = mostValues;
    this.#grow = grow;
  }

  /** Parts that may still be taken. */
  get left(): number {
    return this.#parts;
  }

  /** @throws {AppError} `body_too_complex`, and as the hold */
  take(parts: number, values = parts): void {
    if (parts > this.#parts || values > this.#values) throw new AppError('body_too_complex');
    this.#grow?.(parts * partBytes);
    this.#parts -= parts;
    this.#values -= values;
  }

  /** Returns whether so many parts were left, and takes them. For work that may be left out. @throws {AppError} as the hold */
  tryTake(parts: number): boolean {
    if (parts > this.#parts) return false;
    this.take(parts, 0);
    return true;
  }

  /**
   * The object of a text that an upstream has written, taken as far as it is left; null for anything else, as `parseObject`.
   * @throws {AppError} as the hold
   */
  parseObject(json: string): JsonObject | null {
    return this.tryTakeText(json) ? parseObject(json) : null;
  }

  /** Returns whether there is enough for what a text of JSON has, and takes it. @throws {AppError} as the hold */
  tryTakeText(json: string): boolean {
    const { parts, values } = jsonSize(json, this.#parts, this.#values);
    if (parts > this.#parts || values > this.#values) return false;
    this.take(parts, values);
    return true;
  }

  /** Takes what a text of JSON has, before it is parsed. @throws {AppError} `body_too_complex`, and as the hold */
  takeText(json: string): void {
    const { parts, values } = jsonSize(json, this.#parts, this.#values);
    this.take(parts, values);
  }
}

const quote = 0x22;
const backslash = 0x5c;
/** Blanks, digits and letters of long names that are a part together, and quotes that are escaped: they are looked at one by one. */
export const lettersPerPart = 64;
const escapesPerPart = 16;
/** Letters of the longest name that is one part. */
export const longestName = 256;

/**
 * Counts without parsing. Of a text that is no JSON the figures are those of the part that a parser would have read, or more.
 * @param most parts, and values, beyond which counting stops: at least one more is returned
 */
export function jsonSize(json: string, most = Infinity, mostOfValues = Infinity): JsonSize {
  let [parts, values, letters, escapes, at] = [0, 1, 0, 0, 0];
  const all = (): number => parts + Math.floor(letters / lettersPerPart) + Math.floor(escapes / escapesPerPart);
  for (; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      parts += 1;
      const from = at + 1;
      // Most letters stand in texts, whose ends are searched for.
      for (at = json.indexOf('"', at + 1); at >= 0 && isEscaped(json, at); at = json.indexOf('"', at + 1)) {
        escapes += 1;
        if (escapes % escapesPerPart === 0 && all() > most) break;
      }
      if (at < 0) break;
      if (at - from > longestName && isName(json, at + 1)) letters += at - from;
      if (all() > most) break;
    } else if (code === 0x7b || code === 0x5b) {
      parts += 1;
      if (parts > most) break;
    } else if (code === 0x2c) {
      values += 1;
      if (values > mostOfValues) break;
    } else if (code !== 0x7d && code !== 0x5d && code !== 0x3a) {
      letters += 1;
      if (letters % lettersPerPart === 0 && all() > most) break;
    }
  }
  return { parts: all(), values };
}

/** Whether the quote there is: an odd number of backslashes stands before it. */
function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json.charCodeAt(before - 1) === backslash) before -= 1;
  return (at - before) % 2 === 1;
}

/** Whether a text that ends there is a name. */
function isName(json: string, after: number): boolean {
  let at = after;
  while (json.charCodeAt(at) <= 0x20) at += 1;
  return json[at] === ':';
}
