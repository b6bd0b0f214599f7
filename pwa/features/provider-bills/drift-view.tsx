import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type BillOverview, DriftBy, DriftState } from '#shared/provider-bills.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { download } from '#pwa/ui/controls/download.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { AccountFilter } from './account-filter.tsx';
import { type BillsSearch, periods, usualPeriod } from './bills-search.ts';
import styles from './bills.module.css';
import { DriftChart } from './drift-chart.tsx';
import { driftColumns } from './drift-columns.tsx';
import { DriftSums } from './drift-sums.tsx';
import { type BillsViewProps, ViewPicker } from './view-picker.tsx';
import { driftFilters, driftQuery, driftRowsQuery, rowsFile } from './queries.ts';

const noFilters = { account: undefined, state: undefined, by: undefined } as const;

/** Expected and billed amounts of a period, as a chart and a table. */
export function DriftView({ search, onSearch, query: overview }: BillsViewProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const screen = useListScreen({ search, onSearch });
  const filters = driftFilters(search);
  const by = search.by ?? 'model';
  const reportQuery = useQuery(driftQuery(filters));
  const report = reportQuery.data;
  const rows = useQuery(driftRowsQuery(filters, { page: screen.page, size: screen.size }));
  const columns = useMemo(() => driftColumns({ t, format, by }), [t, format, by]);
  const narrow = (change: Partial<BillsSearch>): void => onSearch({ ...change, p: undefined, open: undefined });
  const { data } = rows;
  return (
    <Screen
      title={t('bills.title')}
      filters={
        <>
          <ViewPicker search={search} onSearch={onSearch} />
          <DriftFilterBar search={search} overview={overview.data} onChange={narrow} />
        </>
      }
    >
      {report !== undefined && <DriftSums report={report} overview={overview.data} />}
      {report !== undefined && report.days.length > 1 && <DriftChart days={report.days} />}
      {reportQuery.isPending && <div className={styles.shape} aria-hidden="true" />}
      <DataList
        query={rows}
        rows={data?.items}
        label={t('bills.title')}
        columns={columns}
        rowKey={(row) => `${row.account_id} ${row.day} ${row.model}`}
        rowName={(row) => row.model || row.day || row.account_name}
        empty={{ title: t('bills.empty.rows'), text: t('bills.empty.rows_text') }}
        filtersSet={(search.state === undefined ? 0 : 1) + (search.account === undefined ? 0 : 1)}
        onClearFilters={() => narrow(noFilters)}
        {...(data === undefined || data.total === 0
          ? {}
          : { pager: screen.pager(data.total, data.total_is_lower_bound, data.items.length) })}
      />
    </Screen>
  );
}

interface DriftFilterBarProps {
  search: BillsSearch;
  overview: BillOverview | undefined;
  onChange: (change: Partial<BillsSearch>) => void;
}

function DriftFilterBar({ search, overview, onChange }: DriftFilterBarProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const { account, state, by, period = usualPeriod } = search;
  const csv = {
    key: 'csv',
    label: t('bills.export.rows'),
    isDisabled: !isOnline,
    onClick: () => download(rowsFile(driftFilters(search), Date.now())),
  };
  return (
    <FilterBar
      count={[account, state, by].filter((filter) => filter !== undefined).length}
      onClear={() => onChange(noFilters)}
      tools={<RowMenu label={needs(t('bills.export.menu'))} width={240} content={() => ({ actions: [csv] })} />}
    >
      <FilterSelect
        label={t('bills.filter.period')}
        value={period}
        isRequired
        options={periods.map((value) => ({ value, label: t(`bills.period.${value}`) }))}
        onChange={(chosen) => onChange({ period: periods.find((one) => one === chosen && one !== usualPeriod) })}
      />
      {period === 'custom' && <CustomDays search={search} onChange={onChange} />}
      <AccountFilter overview={overview} account={account} onChange={onChange} />
      <FilterSelect
        label={t('bills.filter.state')}
        value={state ?? ''}
        options={DriftState.options.map((value) => ({ value, label: t(`bills.state.${value}`) }))}
        onChange={(chosen) => onChange({ state: DriftState.options.find((one) => one === chosen) })}
      />
      <Segments
        label={t('bills.filter.by')}
        value={by ?? 'model'}
        options={DriftBy.options.map((value) => ({ value, label: t(`bills.by.${value}`) }))}
        onChange={(value) => onChange({ by: value === 'model' ? undefined : value })}
      />
    </FilterBar>
  );
}

function CustomDays({ search, onChange }: Pick<DriftFilterBarProps, 'search' | 'onChange'>) {
  const { t } = useTranslation();
  return (
    <span className={`${layout.wrap} ${styles.days}`}>
      {(['from', 'to'] as const).map((bound) => (
        <label key={bound}>
          <span>{t(`bills.filter.${bound}`)}</span>
          <input
            type="date"
            value={search[bound] ?? ''}
            onChange={(event) => onChange({ [bound]: event.currentTarget.value || undefined })}
          />
        </label>
      ))}
    </span>
  );
}
