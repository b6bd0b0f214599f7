import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import type { PricingSearch } from './pricing-search.ts';

interface PricingFiltersProps {
  search: PricingSearch;
  filters: { filtersSet: number; onClearFilters: () => void };
  /** A `GroupChoice`, once the groups are known. */
  groups: ReactNode;
  onSearch: (change: Partial<PricingSearch>) => void;
}

export function PricingFilters({ search, filters, groups, onSearch }: PricingFiltersProps) {
  const { t } = useTranslation();
  return (
    <FilterBar
      count={filters.filtersSet}
      onClear={filters.onClearFilters}
      search={{
        label: t('pricing.filter.keyword'),
        value: search.keyword ?? '',
        onChange: (text) => onSearch({ keyword: text === '' ? undefined : text }),
      }}
      presets={groups}
    >
      <FilterSelect
        label={t('pricing.filter.billing')}
        value={search.billing ?? ''}
        options={[
          { value: 'usage', label: t('pricing.per.tokens') },
          { value: 'call', label: t('pricing.per.call') },
        ]}
        onChange={(billing) => onSearch({ billing: billing === 'usage' || billing === 'call' ? billing : undefined })}
      />
      <FilterSelect
        label={t('pricing.filter.available')}
        value={search.available ?? ''}
        options={[{ value: 'yes', label: t('pricing.filter.only_available') }]}
        onChange={(available) => onSearch({ available: available === 'yes' ? 'yes' : undefined })}
      />
    </FilterBar>
  );
}

/** So many groups stand side by side; more go into a list. */
const segmentLimit = 4;

/** The group whose prices are shown. */
export function GroupChoice({ groups, group, onGroup }: { groups: readonly string[]; group: string; onGroup: (group: string) => void }) {
  const { t } = useTranslation();
  const label = t('pricing.filter.group');
  if (groups.length < 2) return null;
  if (groups.length <= segmentLimit)
    return <Segments label={label} value={group} options={groups.map((name) => ({ value: name, label: name }))} onChange={onGroup} />;
  return (
    <FilterSelect
      label={label}
      value={group}
      options={groups.map((name) => ({ value: name, label: name }))}
      onChange={(name) => onGroup(name === '' ? (groups[0] ?? name) : name)}
    />
  );
}
