// Maps byte offsets of a streamed text to characters, for thousands of ranges.

/** Characters between known offsets. */
const blockLetters = 1024;

export class ByteOffsets {
  #text = '';
  /** Starts of blocks in characters and in bytes. */
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
      // Surrogate pairs are not split.
      const end = from + blockLetters + (isHighSurrogate(this.#text.charCodeAt(from + blockLetters - 1)) ? 1 : 0);
      this.#letters.push(end);
      this.#bytes.push(before + Buffer.byteLength(this.#text.slice(from, end)));
    }
  }

  /** Returns the first character at or after a byte. */
  letterAt(byte: number): number {
    const block = blockOf(this.#bytes, byte);
    const from = this.#letters[block] ?? 0;
    const within = Buffer.from(this.#text.slice(from, this.#letters[block + 1]));
    return from + within.toString('utf8', 0, Math.max(0, byte - (this.#bytes[block] ?? 0))).length;
  }

  /** Returns the number of bytes before a character. */
  byteAt(letter: number): number {
    const block = blockOf(this.#letters, letter);
    return (this.#bytes[block] ?? 0) + Buffer.byteLength(this.#text.slice(this.#letters[block] ?? 0, letter));
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}

/** Returns the last block that begins at or before the position. */
function blockOf(begins: readonly number[], place: number): number {
  let [low, high] = [0, begins.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((begins[middle] ?? 0) <= place) low = middle;
    else high = middle;
  }
  return low;
}
