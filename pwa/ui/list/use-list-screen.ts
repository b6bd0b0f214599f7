import { useState } from 'react';
import type { NumberedPager } from './pager.tsx';
import { type ListSearch, rememberedPageSize } from './list-search.ts';

interface ListScreenOptions {
  search: ListSearch;
  onSearch: (change: Partial<ListSearch>) => void;
  /** Key of the open record, and how another is opened, where a path of its own says so. Absent: both are in the search. */
  open?: string | undefined;
  onOpen?: (open: string | undefined) => void;
}

interface Listed<Row> {
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string | number;
}

/** What every screen of a list does with its address: its page, the open record, and the ways from one to the next. */
export function useListScreen({ search, onSearch, open, onOpen }: ListScreenOptions) {
  const page = search.p ?? 1;
  const size = search.size ?? rememberedPageSize();
  const handleOpen = onOpen ?? ((key: string | undefined): void => onSearch({ open: key }));
  const opened = onOpen === undefined ? search.open : open;
  return {
    page,
    size,
    open: opened,
    onOpen: handleOpen,
    pager: (total: number, isLowerBound?: boolean, shown?: number): NumberedPager => ({
      page,
      size,
      total,
      isLowerBound,
      shown,
      onPage: (p) => onSearch({ p: p === 1 ? undefined : p, ...(onOpen === undefined ? { open: undefined } : {}) }),
      onSize: (chosen) => onSearch({ size: chosen, p: undefined }),
    }),
  };
}

export type ListScreen = ReturnType<typeof useListScreen>;

/**
 * Open record, with its neighbours. A record that leaves the list while it is open, as after a search, stays open: its panel may hold
 * edits.
 */
export function useOpenRecord<Row>({ open, onOpen }: Pick<ListScreen, 'open' | 'onOpen'>, { rows, rowKey }: Listed<Row>) {
  const at = open === undefined || rows === undefined ? -1 : rows.findIndex((row) => String(rowKey(row)) === open);
  const listed = at === -1 ? undefined : rows?.[at];
  const [seen, setSeen] = useState<{ open: string | undefined; row: Row | undefined }>({ open, row: listed });
  if (seen.open !== open || (listed !== undefined && seen.row !== listed)) setSeen({ open, row: listed });
  const neighbour = (step: 1 | -1): (() => void) | undefined => {
    const row = at === -1 ? undefined : rows?.[at + step];
    return row === undefined ? undefined : () => onOpen(String(rowKey(row)));
  };
  return { row: listed ?? (seen.open === open ? seen.row : undefined), onPrevious: neighbour(-1), onNext: neighbour(1) };
}
