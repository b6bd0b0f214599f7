// Which character of a text a byte of it is, for ranges in bytes: the text comes in pieces, and thousands of ranges may be about it.

/** Letters between two places that are known. */
const blockLetters = 1024;

export class ByteOffsets {
  #text = '';
  /** Where blocks begin, in letters and in bytes. */
  readonly #letters = [0];
  readonly #bytes = [0];

  get text(): string {
    return this.#text;
  }

  add(text: string): void {
    this.#text += text;
    for (;;) {
      const [from, before] = [this.#letters.at(-1) ?? 0, this.#bytes.at(-1) ?? 0];
      if (this.#text.length - from <= blockLetters) return;
      // Two halves of one character stay together.
      const end = from + blockLetters + (isHighSurrogate(this.#text.charCodeAt(from + blockLetters - 1)) ? 1 : 0);
      this.#letters.push(end);
      this.#bytes.push(before + Buffer.byteLength(this.#text.slice(from, end)));
    }
  }

  /** The letter that begins at or behind a byte. */
  letterAt(byte: number): number {
    const block = blockOf(this.#bytes, byte);
    const from = this.#letters[block] ?? 0;
    const within = Buffer.from(this.#text.slice(from, this.#letters[block + 1]));
    return from + within.toString('utf8', 0, Math.max(0, byte - (this.#bytes[block] ?? 0))).length;
  }

  /** How many bytes stand before a letter. */
  byteAt(letter: number): number {
    const block = blockOf(this.#letters, letter);
    return (this.#bytes[block] ?? 0) + Buffer.byteLength(this.#text.slice(this.#letters[block] ?? 0, letter));
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}

/** The last block that begins at that place or before it. */
function blockOf(begins: readonly number[], place: number): number {
  let [low, high] = [0, begins.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((begins[middle] ?? 0) <= place) low = middle;
    else high = middle;
  }
  return low;
}
