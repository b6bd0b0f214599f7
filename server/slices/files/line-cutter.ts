// Lines of a file, as its bytes come.
const lineFeed = 0x0a;

/** A line is longer than its reader can hold. */
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

  /** @param longest bytes of a line */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The lines that have ended, without their line feeds, as they are asked for. All have to be. @throws {LineTooLong} */
  *cut(chunk: Buffer): Generator<Buffer> {
    let at = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, at)) {
      this.#keep(chunk.subarray(at, end));
      at = end + 1;
      yield this.rest();
    }
    this.#keep(chunk.subarray(at));
  }

  /** What has come of the line that has not ended; it is let go. */
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
