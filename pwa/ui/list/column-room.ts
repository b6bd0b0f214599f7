// What a list tells its column picker: the columns that it has no room for. Apart from React's state, so that a list which
// is resized draws no screen anew.
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
