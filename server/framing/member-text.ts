// JSON that comes in pieces and has one long text in it, a file as Base64: what stands before that text is kept, and the text passes.

/** Of what stands before the text. */
const mostBytes = 256 * 1024;
const [quote, backslash] = [0x22, 0x5c];
/** `\u003d` */
const longestEscape = 6;
const escapes: Readonly<Record<string, string>> = { '\\/': '/', '\\u002f': '/', '\\u002b': '+', '\\u003d': '=' };

export class MemberText {
  readonly #mark: RegExp;
  #before = '';
  #state: 'before' | 'within' | 'after' = 'before';

  /** @param member its name: letters and digits. Within a text its quotes would be escaped, so it is found nowhere else */
  constructor(member: string) {
    this.#mark = new RegExp(`"${member}"\\s*:\\s*"`);
  }

  /** Everything that was there, as long as the text has not begun. */
  get before(): string {
    return this.#before;
  }

  get hasBegun(): boolean {
    return this.#state !== 'before';
  }

  get isOver(): boolean {
    return this.#state === 'after';
  }

  /** More came before the text than is kept. */
  get isTooLong(): boolean {
    return this.#before.length > mostBytes;
  }

  /** What of these bytes is part of the text, as it is written in the JSON. */
  push(chunk: Buffer): Buffer {
    if (this.#state === 'after' || this.isTooLong) return Buffer.alloc(0);
    if (this.#state === 'within') return this.#within(chunk);
    const known = this.#before.length;
    // A byte is a letter here: what is cut anywhere has the same length, and the text is found in ASCII.
    this.#before += chunk.toString('latin1');
    const found = this.#mark.exec(this.#before);
    if (found === null) return Buffer.alloc(0);
    this.#state = 'within';
    return this.#within(chunk.subarray(found.index + found[0].length - known));
  }

  /** Base64 has no quotes. */
  #within(chunk: Buffer): Buffer {
    const end = chunk.indexOf(quote);
    if (end < 0) return chunk;
    this.#state = 'after';
    return chunk.subarray(0, end);
  }
}

/** Base64 as JSON has it, in pieces of any length, as bytes. */
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
