import { useQuery } from '@tanstack/react-query';
import type { ListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { usersQuery } from './queries.ts';
import type { UsersSearch } from './users-search.ts';

interface UserListOptions {
  search: UsersSearch;
  onSearch: (change: Partial<UsersSearch>) => void;
  screen: ListScreen;
}

/** The list that the address asks for, and the ways to ask for another. */
export function useUserList({ search, onSearch, screen }: UserListOptions) {
  const { page, size } = screen;
  const filter = { keyword: search.keyword ?? '', group: search.group ?? '' };
  const query = useQuery(usersQuery({ p: page, size, ...filter }));
  const rows = query.data?.items;
  const onFilter = (change: Partial<UsersSearch>): void => onSearch({ ...change, p: undefined });
  return {
    /** As `DataList` takes it. */
    listed: {
      query,
      rows,
      filtersSet: Object.values(filter).filter((value) => value !== '').length,
      onClearFilters: () => onFilter({ keyword: undefined, group: undefined }),
      ...(rows?.length === 0 && page === 1
        ? {}
        : { pager: screen.pager(query.data?.total ?? 0, query.data?.total_is_lower_bound, rows?.length) }),
    },
    onFilter,
  };
}
