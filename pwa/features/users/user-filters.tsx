import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type ListedUser, UserSort } from '#shared/users.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { type ChosenColumns, ColumnPicker } from '#pwa/ui/list/columns.tsx';
import type { SortState } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import { newest } from './use-user-list.ts';
import type { UsersSearch } from './users-search.ts';

interface UserFiltersProps {
  search: UsersSearch;
  listed: { sort: SortState; filtersSet: number; onClearFilters: () => void };
  columns: ChosenColumns<ListedUser>;
  onFilter: (change: Partial<UsersSearch>) => void;
}

export function UserFilters({ search, listed, columns, onFilter }: UserFiltersProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const groups = useQuery(groupsQuery);
  return (
    <FilterBar
      count={listed.filtersSet}
      onClear={listed.onClearFilters}
      search={{
        label: t('users.filter.keyword'),
        value: search.keyword ?? '',
        onChange: (keyword) => onFilter({ keyword: keyword || undefined }),
      }}
      tools={<ColumnPicker chosen={columns} />}
    >
      <FilterSelect
        label={t('users.column.group')}
        value={search.group ?? ''}
        options={(groups.data ?? []).map((group) => ({ value: group, label: group }))}
        onChange={(group) => onFilter({ group: group || undefined })}
      />
      {/* A phone has no headings to sort by. */}
      {isPhone && (
        <FilterSelect
          label={t('users.sort.label')}
          isRequired
          value={listed.sort.by}
          options={[
            { value: newest, label: t('users.sort.newest') },
            ...UserSort.options.map((value) => ({ value, label: t(`users.column.${value}`) })),
          ]}
          onChange={listed.sort.onSort}
        />
      )}
    </FilterBar>
  );
}
