// One budget for all JSON that a caller makes this process parse and hold: a body, JSON texts in it, copies of schema
// references, stored items, sealed windows, state of a socket. Parts are counted before parsing, because bytes do not
// bound a tree: 1 MB of empty objects takes 20 MB parsed.
import { AppError } from '#shared/errors.ts';
import { type JsonObject, parseObject } from './loose-json.ts';

/** Objects, arrays, texts and names: the most expensive parts to parse and hold. */
export const mostParts = 100_000;
/** All values, including numbers. */
export const mostValues = 1_000_000;
/** Approximate bytes of memory per parsed part, besides its text. */
export const partBytes = 64;

export interface JsonSize {
  parts: number;
  values: number;
}

/**
 * Reserves the memory of parts before they are parsed.
 * @throws {AppError} `bodies_of_caller`, `bodies_of_server`
 */
export type GrowHold = (bytes: number) => void;

export class PartBudget {
  #parts: number;
  #values: number;
  readonly #grow: GrowHold | undefined;

  /**
   * @param taken parts of the body itself: `RawBody.parts`
   * @param grow `BodyHold.grow`, for parts taken from now on; if undefined, nothing is reserved
   */
  constructor(taken = 0, grow?: GrowHold) {
    this.#parts = Math.max(0, mostParts - taken);
    this.#values = mostValues;
    this.#grow = grow;
  }

  /** Parts left. */
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

  /**
   * Takes the parts if they are left; returns whether they were. For optional work.
   * @throws {AppError} as the hold
   */
  tryTake(parts: number): boolean {
    if (parts > this.#parts) return false;
    this.take(parts, 0);
    return true;
  }

  /**
   * Parses an upstream's object if the budget allows; returns null otherwise, or as `parseObject`.
   * @throws {AppError} as the hold
   */
  parseObject(json: string): JsonObject | null {
    return this.tryTakeText(json) ? parseObject(json) : null;
  }

  /**
   * Takes the parts of a JSON text if they are left; returns whether they were.
   * @throws {AppError} as the hold
   */
  tryTakeText(json: string): boolean {
    const { parts, values } = jsonSize(json, this.#parts, this.#values);
    if (parts > this.#parts || values > this.#values) return false;
    this.take(parts, values);
    return true;
  }

  /**
   * Takes the parts of a JSON text before it is parsed.
   * @throws {AppError} `body_too_complex`, and as the hold
   */
  takeText(json: string): void {
    const { parts, values } = jsonSize(json, this.#parts, this.#values);
    this.take(parts, values);
  }
}

const quote = 0x22;
const backslash = 0x5c;
/**
 * Blanks, digits and letters of long names, and escaped quotes, that count as one part, because they are read one by
 * one.
 */
export const lettersPerPart = 64;
const escapesPerPart = 16;
/** Maximum letters of a name that counts as one part. */
export const longestName = 256;

/**
 * Counts without parsing. For invalid JSON, counts at least what a parser would have read.
 * @param most limit of parts, and of values, beyond which counting stops: at least one more is returned
 */
export function jsonSize(json: string, most = Infinity, mostOfValues = Infinity): JsonSize {
  let [parts, values, letters, escapes, at] = [0, 1, 0, 0, 0];
  const all = (): number => parts + Math.floor(letters / lettersPerPart) + Math.floor(escapes / escapesPerPart);
  for (; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      parts += 1;
      const from = at + 1;
      // Most letters are in texts, whose ends are searched for.
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

/** Reports whether the quote is escaped, by an odd number of backslashes before it. */
function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json.charCodeAt(before - 1) === backslash) before -= 1;
  return (at - before) % 2 === 1;
}

/** Reports whether the text that ends there is a name. */
function isName(json: string, after: number): boolean {
  let at = after;
  while (json.charCodeAt(at) <= 0x20) at += 1;
  return json[at] === ':';
}
