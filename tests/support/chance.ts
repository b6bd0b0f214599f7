// Chance that is the same for the same seed.

/** Numbers from 0 to 1. */
export function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One of them; undefined: there are none. */
export function pickOf<Item>(chance: () => number, items: readonly Item[]): Item | undefined {
  return items[Math.floor(chance() * items.length)];
}
