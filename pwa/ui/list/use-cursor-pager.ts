import { useRef } from 'react';
import type { ListSearch } from './list-search.ts';
import type { PagerProps } from './pager.tsx';

/** `after`: where the page begins, beyond what can be paged by number. */
type CursorSearch = ListSearch & { after?: string | undefined };

interface CursorPagerOptions {
  search: CursorSearch;
  size: number;
  page: { total: number; total_is_lower_bound?: boolean | undefined; cursor?: string | undefined } | undefined;
  onSearch: (change: Partial<CursorSearch>) => void;
}

/** By number as far as rows are counted; beyond that from page to page by cursor. */
export function useCursorPager({ search, size, page, onSearch }: CursorPagerOptions): PagerProps | undefined {
  // Where the pages before this one began; after a reload the way back leads to the first.
  const trail = useRef<string[]>([]);
  if (page === undefined || (page.total === 0 && search.after === undefined)) return undefined;
  const onSize = (next: number): void => onSearch({ size: next, p: undefined, after: undefined });
  const isStream = search.after !== undefined || page.total_is_lower_bound === true;
  if (!isStream) {
    return {
      page: search.p ?? 1,
      size,
      total: page.total,
      onSize,
      onPage: (next) => onSearch({ p: next === 1 ? undefined : next, open: undefined }),
    };
  }
  return {
    cursor: true,
    size,
    hasNewer: search.after !== undefined,
    hasOlder: page.cursor !== undefined,
    onNewer: () => onSearch({ after: trail.current.pop(), open: undefined }),
    onOlder: () => {
      if (search.after !== undefined) trail.current.push(search.after);
      onSearch({ after: page.cursor, p: undefined, open: undefined });
    },
    onSize,
  };
}
