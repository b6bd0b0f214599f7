import { useEffect, useState } from 'react';

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

/** The ticked rows, those of other pages too as far as they were seen here; `see` adds what was read elsewhere. */
export function useTickedRows<Row, Key extends string | number>(
  { keys }: Selection<Key>,
  rows: readonly Row[] | undefined,
  rowKey: (row: Row) => Key,
): { ticked: Row[]; see: (rows: readonly Row[]) => void } {
  const [seen] = useState(() => new Map<Key, Row>());
  const see = (read: readonly Row[]): void => {
    for (const row of read) seen.set(rowKey(row), row);
  };
  useEffect(() => see(rows ?? []));
  const here = new Map((rows ?? []).map((row) => [rowKey(row), row]));
  const ticked = [...keys].flatMap((key) => here.get(key) ?? seen.get(key) ?? []);
  return { ticked, see };
}

function without<Key>(keys: ReadonlySet<Key>, removed: readonly Key[]): ReadonlySet<Key> {
  return new Set([...keys].filter((key) => !removed.includes(key)));
}
