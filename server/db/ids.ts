// Numeric ids, drawn in blocks from a counter in the database. Concurrent callers share one draw.
import { collections } from '#server/db/collections.ts';
import type { CollectionName } from '#server/db/database.ts';

interface Block {
  next: number;
  last: number;
}

export class IdBlocks {
  readonly #draw: (name: CollectionName, size: number) => Promise<number>;
  readonly #blocks = new Map<CollectionName, Block>();
  readonly #draws = new Map<CollectionName, Promise<void>>();

  /** @param draw increases the counter by `size`, atomically across processes, and returns the result */
  constructor(draw: (name: CollectionName, size: number) => Promise<number>) {
    this.#draw = draw;
  }

  async next(name: CollectionName): Promise<number> {
    const size = collections[name].idBlock;
    if (size === 1) return this.#draw(name, 1);
    for (;;) {
      const block = this.#blocks.get(name);
      if (block !== undefined && block.next <= block.last) return block.next++;
      await (this.#draws.get(name) ?? this.#refill(name, size));
    }
  }

  /** Returns `count` ascending ids. */
  several(name: CollectionName, count: number): Promise<number[]> {
    const block = this.#blocks.get(name);
    const isHere = block !== undefined && block.last - block.next + 1 >= count;
    return isHere ? Promise.resolve(taken(block, count)) : this.#severalDrawn(name, count);
  }

  async #severalDrawn(name: CollectionName, count: number): Promise<number[]> {
    if (count === 0) return [];
    // Dense ids are drawn as a block of exactly that size.
    if (collections[name].idBlock === 1) {
      const last = await this.#draw(name, count);
      return Array.from({ length: count }, (_, index) => last - count + 1 + index);
    }
    const ids: number[] = [];
    while (ids.length < count) {
      ids.push(await this.next(name));
      const block = this.#blocks.get(name);
      if (block !== undefined) ids.push(...taken(block, Math.min(count - ids.length, block.last - block.next + 1)));
    }
    return ids;
  }

  #refill(name: CollectionName, size: number): Promise<void> {
    const drawn = this.#draw(name, size)
      .then((last) => void this.#blocks.set(name, { next: last - size + 1, last }))
      .finally(() => this.#draws.delete(name));
    this.#draws.set(name, drawn);
    return drawn;
  }
}

function taken(block: Block, count: number): number[] {
  const ids: number[] = [];
  while (ids.length < count) ids.push(block.next++);
  return ids;
}
