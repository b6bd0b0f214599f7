// Those who wait, under names within names: under every line its own lines take turns, and when a line is full, whoever has
// the most below it makes room for who has less.

export interface FairLines<Item> {
  /** `path`: the names from the widest to who asks. Answers whether there is a place; `given` gave it up for this one. */
  add(path: readonly string[], item: Item): { isAdded: boolean; given?: Item };
  /** Whose turn it is waits no longer, and is last now on every line that leads to it. Nobody's: undefined. */
  take(): Item | undefined;
  readonly size: number;
}

/** Who waits for nothing has no line. */
interface Line<Item> {
  size: number;
  /** In the order of their turns. */
  below: Map<string, Line<Item>>;
  items: Item[];
}

/** @param places of all, and then of a line at each further step of a path */
export function createFairLines<Item>(places: readonly number[]): FairLines<Item> {
  const all = newLine<Item>();
  const depth = places.length - 1;

  /** Below the line at step `full` of a path: who has more than would wait there on the way of that path. */
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

/** The line at each step of a path, as far as there are any. */
function linesOn<Item>(all: Line<Item>, path: readonly string[]): Line<Item>[] {
  const lines = [all];
  for (const name of path) {
    const next = lines.at(-1)?.below.get(name);
    if (next === undefined) break;
    lines.push(next);
  }
  return lines;
}

/** Below a path: what the one with the most has asked for last. */
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
