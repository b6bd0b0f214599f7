// Those who wait for something that all of them share. Every owner has a turn after every other, however much one has asked for.

export interface TurnQueue<Owner, Item> {
  /** Behind what the same owner waits for. */
  add(owner: Owner, item: Item): void;
  /** Whose turn it is; nobody's: undefined. */
  first(): { owner: Owner; item: Item } | undefined;
  /** The same, and it waits no longer. Its owner is last now. */
  take(): Item | undefined;
  /** Who has had a turn is last, also behind those who came meanwhile; what waits stays. */
  passOn(owner: Owner): void;
  remove(owner: Owner, item: Item): void;
  /** What one owner waits for. */
  of(owner: Owner): readonly Item[];
  all(): Item[];
  readonly size: number;
}

export function createTurnQueue<Owner, Item>(): TurnQueue<Owner, Item> {
  // In the order of their turns. An owner who waits for nothing is not in it.
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
