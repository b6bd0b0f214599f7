// Queue in which owners take turns, regardless of the number of their items.

export interface TurnQueue<Owner, Item> {
  /** Adds an item after the owner's others. */
  add(owner: Owner, item: Item): void;
  /** Returns the next item without removing it; undefined if empty. */
  first(): { owner: Owner; item: Item } | undefined;
  /** Removes and returns the next item; its owner moves to the end. */
  take(): Item | undefined;
  /** Moves an owner to the end, without removing items. */
  passOn(owner: Owner): void;
  remove(owner: Owner, item: Item): void;
  /** Waiting items of an owner. */
  of(owner: Owner): readonly Item[];
  all(): Item[];
  readonly size: number;
}

export function createTurnQueue<Owner, Item>(): TurnQueue<Owner, Item> {
  // In the order of turns; owners without items are removed.
  const lines = new Map<Owner, Item[]>();
  let size = 0;

  function passOn(owner: Owner): void {
    const line = lines.get(owner);
    if (line === undefined) return;
    lines.delete(owner);
    if (line.length > 0) lines.set(owner, line);
  }

  return {
    add(owner, item) {
      const line = lines.get(owner);
      if (line === undefined) lines.set(owner, [item]);
      else line.push(item);
      size += 1;
    },
    first() {
      for (const [owner, [item]] of lines) return item === undefined ? undefined : { owner, item };
      return undefined;
    },
    take() {
      for (const [owner, line] of lines) {
        const item = line.shift();
        size -= 1;
        passOn(owner);
        return item;
      }
      return undefined;
    },
    passOn,
    remove(owner, item) {
      const line = lines.get(owner);
      const place = line?.indexOf(item) ?? -1;
      if (line === undefined || place < 0) return;
      line.splice(place, 1);
      size -= 1;
      if (line.length === 0) lines.delete(owner);
    },
    of: (owner) => lines.get(owner) ?? [],
    all: () => [...lines.values()].flat(),
    get size() {
      return size;
    },
  };
}
