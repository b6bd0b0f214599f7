// Extracts one long text, a file as Base64, from JSON that arrives in pieces: stores what precedes the text, and passes
// the text on.

/** Maximum bytes before the text. */
const mostBytes = 256 * 1024;
const [quote, backslash] = [0x22, 0x5c];
/** `\u003d` */
const longestEscape = 6;
const escapes: Readonly<Record<string, string>> = { '\\/': '/', '\\u002f': '/', '\\u002b': '+', '\\u003d': '=' };

export class MemberText {
  readonly #mark: RegExp;
  #before = '';
  #state: 'before' | 'within' | 'after' = 'before';

  /** @param member name with letters and digits only. Quotes within texts are escaped, so a match is a member */
  constructor(member: string) {
    this.#mark = new RegExp(`"${member}"\\s*:\\s*"`);
  }

  /** Everything received before the text. */
  get before(): string {
    return this.#before;
  }

  get hasBegun(): boolean {
    return this.#state !== 'before';
  }

  get isOver(): boolean {
    return this.#state === 'after';
  }

  /** Too much was received before the text. */
  get isTooLong(): boolean {
    return this.#before.length > mostBytes;
  }

  /** Part of these bytes that belongs to the text, as written in the JSON. */
  push(chunk: Buffer): Buffer {
    if (this.#state === 'after' || this.isTooLong) return Buffer.alloc(0);
    if (this.#state === 'within') return this.#within(chunk);
    const known = this.#before.length;
    // Latin-1 maps bytes to letters, so chunks may be cut anywhere; the member is ASCII.
    this.#before += chunk.toString('latin1');
    const found = this.#mark.exec(this.#before);
    if (found === null) return Buffer.alloc(0);
    this.#state = 'within';
    return this.#within(chunk.subarray(found.index + found[0].length - known));
  }

  /** Base64 contains no quotes. */
  #within(chunk: Buffer): Buffer {
    const end = chunk.indexOf(quote);
    if (end < 0) return chunk;
    this.#state = 'after';
    return chunk.subarray(0, end);
  }
}

/** Decodes Base64 from JSON in pieces of any length. */
export class Base64Pieces {
  #rest = '';

  push(piece: Buffer): Buffer {
    this.#rest += piece.toString('latin1');
    const escapeAt = piece.includes(backslash) || this.#rest.includes('\\') ? this.#rest.lastIndexOf('\\') : -1;
    const isOpen = escapeAt >= 0 && this.#rest.length - escapeAt < longestEscape && !this.#rest.startsWith('\\/', escapeAt);
    const whole = isOpen ? this.#rest.slice(0, escapeAt) : this.#rest;
    const text = whole.replaceAll(/\\(?:\/|u[\da-f]{4})/gi, (escape) => escapes[escape.toLowerCase()] ?? '');
    const length = text.length - (text.length % 4);
    this.#rest = text.slice(length) + this.#rest.slice(whole.length);
    return Buffer.from(text.slice(0, length), 'base64');
  }
}
