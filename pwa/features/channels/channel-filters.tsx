import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { groupsQuery } from '#pwa/api/groups.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { useIsPhone, useIsTablet } from '#pwa/ui/frame/breakpoint.ts';
import { type ChosenColumns, ColumnPicker } from '#pwa/ui/list/columns.tsx';
import type { SortState } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterSelect, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import styles from './channel-filters.module.css';
import type { ChannelsSearch } from './channels-search.ts';
import type { StatusCounts, StatusFilter } from './status-counts.ts';

interface ChannelFiltersProps {
  search: ChannelsSearch;
  listed: { sort: SortState; filtersSet: number; onClearFilters: () => void };
  /** Counts per status; undefined while they are unknown, and next to an open record, where there is space for one line. */
  counts: StatusCounts | undefined;
  /** How many channels fail now; the filter for them is there while some do. */
  failing: number;
  columns: ChosenColumns<Channel>;
  onFilter: (change: Partial<ChannelsSearch>) => void;
}

export function ChannelFilters({ search, listed, counts, failing, columns, onFilter }: ChannelFiltersProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const groups = useQuery(groupsQuery);
  const statusLabel = useStatusLabel(counts, failing);
  const offersFailing = failing > 0 || search.status === 'failing';
  return (
    <FilterBar
      count={listed.filtersSet}
      onClear={listed.onClearFilters}
      search={{
        label: t('channels.filter.keyword'),
        value: search.keyword ?? '',
        onChange: (keyword) => onFilter({ keyword: keyword || undefined }),
      }}
      presets={
        <Segments<StatusFilter | 'all'>
          label={t('channels.column.status')}
          value={search.status ?? 'all'}
          options={(['all', 'on', 'off', 'auto', ...(offersFailing ? (['failing'] as const) : [])] as const).map((value) => ({
            value,
            label: statusLabel(value),
          }))}
          onChange={(status) => onFilter({ status: status === 'all' ? undefined : status })}
        />
      }
      tools={
        <>
          <Button
            className={styles.byTag}
            aria-pressed={search.by === 'tag'}
            onClick={() => onFilter({ by: search.by === 'tag' ? undefined : 'tag' })}
          >
            {t('channels.filter.by_tag')}
          </Button>
          <ColumnPicker chosen={columns} />
        </>
      }
    >
      <FilterSelect
        label={t('channels.column.group')}
        value={search.group ?? ''}
        options={(groups.data ?? []).map((group) => ({ value: group, label: group }))}
        onChange={(group) => onFilter({ group: group || undefined })}
      />
      <FilterText
        label={t('channels.filter.model')}
        value={search.model ?? ''}
        onChange={(model) => onFilter({ model: model || undefined })}
      />
      {/* Shown where it is set: a run's failures lead here. */}
      {search.test !== undefined && (
        <FilterSelect
          label={t('channels.filter.test')}
          value={search.test}
          options={[{ value: 'failed', label: t('channels.filter.test_failed') }]}
          onChange={(test) => onFilter({ test: test === 'failed' ? 'failed' : undefined })}
        />
      )}
      {/* A phone has no headings to sort by. */}
      {isPhone && (
        <Segments
          label={t('channels.filter.sort')}
          value={listed.sort.by}
          options={[
            { value: 'priority', label: t('channels.filter.by_priority') },
            { value: 'id', label: t('channels.filter.by_id') },
          ]}
          onChange={listed.sort.onSort}
        />
      )}
    </FilterBar>
  );
}

/** What a status is called in the filter, with how many channels have it. */
function useStatusLabel(counts: StatusCounts | undefined, failing: number): (status: StatusFilter | 'all') => string {
  const { t } = useTranslation();
  const format = useFormat();
  const isTablet = useIsTablet();
  return (status: StatusFilter | 'all'): string => {
    const name = t(`channels.filter.${status}`);
    const count = status === 'failing' ? failing : counts?.[status];
    // A tablet's row has room for counts of what needs attention.
    const isCounted = !isTablet || ((status === 'auto' || status === 'failing') && count !== 0);
    return counts === undefined || count === undefined || !isCounted
      ? name
      : t('channels.filter.counted', { name, count: format.count(count) });
  };
}
