import type { PagerProps } from './pager.tsx';
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
    /** The open record among those listed, and the ways to the ones before and after it. */
    walk: <Row>({ rows, rowKey }: Listed<Row>) => {
      const at = opened === undefined || rows === undefined ? -1 : rows.findIndex((row) => String(rowKey(row)) === opened);
      const neighbour = (step: 1 | -1): (() => void) | undefined => {
        const row = at === -1 ? undefined : rows?.[at + step];
        return row === undefined ? undefined : () => handleOpen(String(rowKey(row)));
      };
      return { row: at === -1 ? undefined : rows?.[at], onPrevious: neighbour(-1), onNext: neighbour(1) };
    },
    pager: (total: number, isLowerBound?: boolean): PagerProps => ({
      page,
      size,
      total,
      isLowerBound,
      onPage: (p) => onSearch({ p: p === 1 ? undefined : p, ...(onOpen === undefined ? { open: undefined } : {}) }),
      onSize: (chosen) => onSearch({ size: chosen, p: undefined }),
    }),
  };
}

export type ListScreen = ReturnType<typeof useListScreen>;
