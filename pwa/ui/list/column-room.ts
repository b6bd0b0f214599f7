// Columns that a list has no space for, reported to its column picker. Separate from React's state, so that resizing a list redraws no
// screen.
import { createStore } from '#pwa/ui/store.ts';

const nothing: ReadonlySet<string> = new Set();

export interface ColumnRoom {
  /** Keys of the columns without room; the same set until they change. */
  current: () => ReadonlySet<string>;
  tell: (without: readonly string[]) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createColumnRoom(): ColumnRoom {
  const store = createStore(nothing);
  return {
    current: store.get,
    tell: (without) => {
      const current = store.get();
      if (without.length !== current.size || !without.every((key) => current.has(key))) store.set(new Set(without));
    },
    subscribe: store.subscribe,
  };
}
