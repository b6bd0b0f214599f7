import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { codesQuery } from './queries.ts';
import type { RedemptionSearch } from './redemption-search.ts';

interface RedemptionListOptions {
  search: RedemptionSearch;
  onSearch: (change: Partial<RedemptionSearch>) => void;
  screen: ListScreen;
}

/** List of the address, and the ways to change it. */
export function useRedemptionList({ search, onSearch, screen }: RedemptionListOptions) {
  const { page, size } = screen;
  const { keyword = '', status } = search;
  const client = useQueryClient();
  const query = useQuery(codesQuery({ p: page, size, keyword, status }));
  const rows = query.data?.items;
  const filtersSet = (keyword === '' ? 0 : 1) + (status === undefined ? 0 : 1);
  const onFilter = (change: Partial<RedemptionSearch>): void => onSearch({ ...change, p: undefined });
  return {
    /** As `DataList` takes it. */
    listed: {
      query,
      rows,
      filtersSet,
      onClearFilters: () => onFilter({ keyword: undefined, status: undefined }),
      ...(rows?.length === 0 && page === 1
        ? {}
        : { pager: screen.pager(query.data?.total ?? 0, query.data?.total_is_lower_bound, rows?.length) }),
    },
    isEmpty: filtersSet === 0 && rows?.length === 0,
    onFilter,
    readPage: async (p: number, count: number) => (await client.fetchQuery(codesQuery({ p, size: count, keyword, status }))).items,
  };
}
