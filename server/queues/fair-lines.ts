// Hierarchical fair queue: at each level, queues take turns; if a level is full, the queue with the most entries drops
// one in favor of one with fewer.

export interface FairLines<Item> {
  /**
   * Adds an item. `path`: names from the widest to the source. Returns whether it was added; `given` is the item
   * dropped for it.
   */
  add(path: readonly string[], item: Item): { isAdded: boolean; given?: Item };
  /** Removes and returns the next item; its source moves to the end at each level. Undefined if empty. */
  take(): Item | undefined;
  readonly size: number;
}

/** A level of the queue; empty ones are removed. */
interface Line<Item> {
  size: number;
  /** In the order of turns. */
  below: Map<string, Line<Item>>;
  items: Item[];
}

/** @param places capacity of the whole queue, then of a queue at each further level */
export function createFairLines<Item>(places: readonly number[]): FairLines<Item> {
  const all = newLine<Item>();
  const depth = places.length - 1;

  /** Path below level `full` to the queue that would have more than the new item's queue after adding it. */
  function findGiver(path: readonly string[], full: number): string[] | undefined {
    const lines = linesOn(all, path);
    for (let step = full; step < depth; step += 1) {
      const line = lines[step];
      if (line === undefined) return undefined;
      const [name, size] = longestBelow(line);
      if (size > (lines[step + 1]?.size ?? 0) + 1) return [...path.slice(0, step), name];
    }
    return undefined;
  }

  return {
    add(path, item) {
      const full = linesOn(all, path).findLastIndex((line, step) => line.size >= (places[step] ?? 0));
      const giver = full < 0 ? undefined : findGiver(path, full);
      if (full >= 0 && giver === undefined) return { isAdded: false };
      const given = giver === undefined ? undefined : takeLast(all, giver);
      let line = all;
      line.size += 1;
      for (const name of path) {
        const next = line.below.get(name) ?? newLine<Item>();
        line.below.set(name, next);
        next.size += 1;
        line = next;
      }
      line.items.push(item);
      return given === undefined ? { isAdded: true } : { isAdded: true, given };
    },
    take() {
      if (all.size === 0) return undefined;
      all.size -= 1;
      let line = all;
      for (;;) {
        const [first] = line.below;
        if (first === undefined) return line.items.shift();
        const [name, next] = first;
        line.below.delete(name);
        next.size -= 1;
        if (next.size > 0) line.below.set(name, next);
        line = next;
      }
    },
    get size() {
      return all.size;
    },
  };
}

function newLine<Item>(): Line<Item> {
  return { size: 0, below: new Map(), items: [] };
}

function longestBelow<Item>(line: Line<Item>): [name: string, size: number] {
  let longest: [string, number] = ['', 0];
  for (const [name, { size }] of line.below) if (size > longest[1]) longest = [name, size];
  return longest;
}

/** Existing queues along a path. */
function linesOn<Item>(all: Line<Item>, path: readonly string[]): Line<Item>[] {
  const lines = [all];
  for (const name of path) {
    const next = lines.at(-1)?.below.get(name);
    if (next === undefined) break;
    lines.push(next);
  }
  return lines;
}

/** Removes the latest item of the largest queue below a path. */
function takeLast<Item>(all: Line<Item>, above: readonly string[]): Item | undefined {
  const path = [...above];
  let line = linesOn(all, path).at(-1) ?? all;
  while (line.below.size > 0) {
    const [name] = longestBelow(line);
    path.push(name);
    line = line.below.get(name) ?? newLine<Item>();
  }
  const item = line.items.pop();
  for (const [step, shortened] of linesOn(all, path).entries()) {
    shortened.size -= 1;
    const next = path[step];
    if (next !== undefined && shortened.below.get(next)?.size === 1) shortened.below.delete(next);
  }
  return item;
}
