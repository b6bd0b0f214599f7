import { useQuery } from '@tanstack/react-query';
import { UserSort } from '#shared/users.ts';
import type { ListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { usersQuery } from './queries.ts';
import type { UsersSearch } from './users-search.ts';

interface UserListOptions {
  search: UsersSearch;
  onSearch: (change: Partial<UsersSearch>) => void;
  screen: ListScreen;
}

/** The order without a figure. */
export const newest = 'newest';

/** List of the address, and the ways to change it. */
export function useUserList({ search, onSearch, screen }: UserListOptions) {
  const { page, size } = screen;
  const filter = { keyword: search.keyword ?? '', group: search.group ?? '' };
  const isDescending = search.order === undefined;
  const query = useQuery(usersQuery({ p: page, size, ...filter, sort: search.sort, isAscending: !isDescending }));
  const rows = query.data?.items;
  const onFilter = (change: Partial<UsersSearch>): void => onSearch({ ...change, p: undefined });
  const onSort = (by: string): void => {
    const isSame = by === (search.sort ?? newest);
    onFilter({
      sort: by === newest ? undefined : UserSort.parse(by),
      order: isSame && isDescending && by !== newest ? 'up' : undefined,
    });
  };
  return {
    /** As `DataList` takes it. */
    listed: {
      query,
      rows,
      sort: { by: search.sort ?? newest, isDescending, onSort },
      filtersSet: Object.values(filter).filter((value) => value !== '').length,
      onClearFilters: () => onFilter({ keyword: undefined, group: undefined }),
      ...(rows?.length === 0 && page === 1
        ? {}
        : { pager: screen.pager(query.data?.total ?? 0, query.data?.total_is_lower_bound, rows?.length) }),
    },
    onFilter,
  };
}
