// Maps offsets of citations, which refer to the original text of a response, to the text with insertions.

export class TextOffsets {
  #original = 0;
  /** Insertions by the length of the original text before them. */
  readonly #inserted: { at: number; length: number }[] = [];

  /** Characters of the original text so far. */
  get length(): number {
    return this.#original;
  }

  add(text: string): void {
    this.#original += text.length;
  }

  insert(text: string): void {
    if (text !== '') this.#inserted.push({ at: this.#original, length: text.length });
  }

  /** @param isEnd whether the offset ends a range, so that insertions at it are excluded */
  at(offset: number, isEnd: boolean): number {
    let moved = offset;
    for (const { at, length } of this.#inserted) if (isEnd ? at < offset : at <= offset) moved += length;
    return moved;
  }
}
