import { useState } from 'react';

/** Ticked rows of a list, across its pages. */
export interface Selection<Key extends string | number> {
  keys: ReadonlySet<Key>;
  toggle: (key: Key) => void;
  /** Ticks or unticks all of these. */
  set: (keys: readonly Key[], isTicked: boolean) => void;
  clear: () => void;
}

export function useSelection<Key extends string | number>(): Selection<Key> {
  const [keys, setKeys] = useState<ReadonlySet<Key>>(() => new Set());
  return {
    keys,
    toggle: (key) => setKeys((old) => (old.has(key) ? without(old, [key]) : new Set([...old, key]))),
    set: (changed, isTicked) => setKeys((old) => (isTicked ? new Set([...old, ...changed]) : without(old, changed))),
    clear: () => setKeys(new Set()),
  };
}

function without<Key>(keys: ReadonlySet<Key>, removed: readonly Key[]): ReadonlySet<Key> {
  return new Set([...keys].filter((key) => !removed.includes(key)));
}
