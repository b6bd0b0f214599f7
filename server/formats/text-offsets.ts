// Offsets in a response's text after insertions: citations count the original text only.

export class TextOffsets {
  #own = 0;
  /** Insertions by the length of the original text before them. */
  readonly #inserted: { at: number; length: number }[] = [];

  /** Characters of the original text so far. */
  get length(): number {
    return this.#own;
  }

  add(text: string): void {
    this.#own += text.length;
  }

  insert(text: string): void {
    if (text !== '') this.#inserted.push({ at: this.#own, length: text.length });
  }

  /** @param isEnd end of a range: insertions at it are excluded */
  at(offset: number, isEnd: boolean): number {
    let moved = offset;
    for (const { at, length } of this.#inserted) if (isEnd ? at < offset : at <= offset) moved += length;
    return moved;
  }
}
