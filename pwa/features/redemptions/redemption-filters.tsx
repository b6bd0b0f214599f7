import { useTranslation } from 'react-i18next';
import { type Redemption, RedemptionStatus } from '#shared/redemptions.ts';
import { type ChosenColumns, ColumnPicker } from '#pwa/ui/list/columns.tsx';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import type { RedemptionSearch } from './redemption-search.ts';
import { RemoveUsed } from './remove-used.tsx';

interface RedemptionFiltersProps {
  search: RedemptionSearch;
  listed: { rows: readonly Redemption[] | undefined; filtersSet: number; onClearFilters: () => void };
  columns: ChosenColumns<Redemption>;
  onFilter: (change: Partial<RedemptionSearch>) => void;
}

export function RedemptionFilters({ search, listed, columns, onFilter }: RedemptionFiltersProps) {
  const { t } = useTranslation();
  const hasUsed = search.status === RedemptionStatus.used && (listed.rows?.length ?? 0) > 0;
  return (
    <FilterBar
      count={listed.filtersSet}
      onClear={listed.onClearFilters}
      search={{
        label: t('redemptions.filter.keyword'),
        value: search.keyword ?? '',
        onChange: (keyword) => onFilter({ keyword: keyword || undefined }),
      }}
      tools={
        <>
          {hasUsed && <RemoveUsed />}
          <ColumnPicker chosen={columns} />
        </>
      }
    >
      <FilterSelect
        label={t('redemptions.column.status')}
        value={search.status === undefined ? '' : String(search.status)}
        options={Object.entries(RedemptionStatus).map(([name, status]) => ({
          value: String(status),
          label: t(`redemptions.status.${name}`),
        }))}
        onChange={(status) => onFilter({ status: status === '' ? undefined : Number(status) })}
      />
    </FilterBar>
  );
}
