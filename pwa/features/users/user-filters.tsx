import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/user.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { type ChosenColumns, ColumnPicker } from '#pwa/ui/list/columns.tsx';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import type { UsersSearch } from './users-search.ts';

interface UserFiltersProps {
  search: UsersSearch;
  listed: { filtersSet: number; onClearFilters: () => void };
  columns: ChosenColumns<User>;
  onFilter: (change: Partial<UsersSearch>) => void;
}

export function UserFilters({ search, listed, columns, onFilter }: UserFiltersProps) {
  const { t } = useTranslation();
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
    </FilterBar>
  );
}
