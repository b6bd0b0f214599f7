// Where a text of the response stands once something else was written among it: citations count the response's own text alone.

export class TextOffsets {
  #own = 0;
  /** What was put in, by the length of the own text before it. */
  readonly #inserted: { at: number; length: number }[] = [];

  /** Characters of the response's own text so far. */
  get length(): number {
    return this.#own;
  }

  add(text: string): void {
    this.#own += text.length;
  }

  insert(text: string): void {
    if (text !== '') this.#inserted.push({ at: this.#own, length: text.length });
  }

  /** @param isEnd of a range: what was put in behind it does not belong to it */
  at(offset: number, isEnd: boolean): number {
    let moved = offset;
    for (const { at, length } of this.#inserted) if (isEnd ? at < offset : at <= offset) moved += length;
    return moved;
  }
}
