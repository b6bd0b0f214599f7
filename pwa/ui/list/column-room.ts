// What a list tells its column picker: the columns that it has no room for. Apart from React's state, so that a list which
// is resized draws no screen anew.

const nothing: ReadonlySet<string> = new Set();

export interface ColumnRoom {
  /** Keys of the columns without room; the same set until they change. */
  current: () => ReadonlySet<string>;
  tell: (without: readonly string[]) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createColumnRoom(): ColumnRoom {
  const listeners = new Set<() => void>();
  let current = nothing;
  return {
    current: () => current,
    tell: (without) => {
      if (without.length === current.size && without.every((key) => current.has(key))) return;
      current = new Set(without);
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
