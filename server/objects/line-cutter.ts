// Splits a file into lines as its bytes arrive.
const lineFeed = 0x0a;

/** Bytes of the longest line that callers may upload. */
export const longestLine = 4 * 1024 * 1024;

/** A line exceeds the reader's limit. */
export class LineTooLong extends Error {
  constructor() {
    super('A line is too long');
    this.name = 'LineTooLong';
  }
}

export class LineCutter {
  readonly #longest: number;
  #pieces: Buffer[] = [];
  #length = 0;

  /** @param longest maximum bytes of a line */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * Yields complete lines without line feeds. All of them must be consumed.
   * @throws {LineTooLong}
   */
  *cut(chunk: Buffer): Generator<Buffer> {
    let at = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, at)) {
      this.#keep(chunk.subarray(at, end));
      at = end + 1;
      yield this.rest();
    }
    this.#keep(chunk.subarray(at));
  }

  /** Returns and drops the incomplete last line. */
  rest(): Buffer {
    const [first] = this.#pieces;
    const line = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces, this.#length);
    this.#pieces = [];
    this.#length = 0;
    return line;
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.#longest) throw new LineTooLong();
    this.#pieces.push(piece);
  }
}
