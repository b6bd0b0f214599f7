import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type BillRequest, BillRequestState } from '#shared/provider-bills.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { download } from '#pwa/ui/controls/download.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { AccountFilter } from './account-filter.tsx';
import type { BillsSearch } from './bills-search.ts';
import styles from './bills.module.css';
import { dollars } from './dollars.ts';
import { type BillsViewProps, ViewPicker } from './view-picker.tsx';
import { billRequestsQuery, requestsFile } from './queries.ts';

const marks: Record<BillRequestState, Status> = { unbilled: 'look', foreign: 'failed', differs: 'failed' };

/** Calls that a bill lacks, its rows without a call, and those with another amount. */
export function RequestsView({ search, onSearch, query: overview }: BillsViewProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const screen = useListScreen({ search, onSearch });
  const filters = { account: search.account, state: search.request ?? ('unbilled' as const) };
  const query = useQuery(billRequestsQuery(filters, { page: screen.page, size: screen.size }));
  const columns = useRequestColumns();
  const narrow = (change: Partial<BillsSearch>): void => onSearch({ ...change, p: undefined });
  const csv = { key: 'csv', label: t('bills.export.requests'), isDisabled: !isOnline, onClick: () => download(requestsFile(filters)) };
  const { data } = query;
  return (
    <Screen
      title={t('bills.title')}
      filters={
        <>
          <ViewPicker search={search} onSearch={onSearch} />
          <FilterBar
            count={search.account === undefined ? 0 : 1}
            onClear={() => narrow({ account: undefined })}
            tools={<RowMenu label={needs(t('bills.export.menu'))} width={240} content={() => ({ actions: [csv] })} />}
          >
            <FilterSelect
              label={t('bills.filter.state')}
              value={filters.state}
              isRequired
              options={BillRequestState.options.map((value) => ({ value, label: t(`bills.request.${value}`) }))}
              onChange={(state) => narrow({ request: BillRequestState.options.find((one) => one === state && one !== 'unbilled') })}
            />
            <AccountFilter overview={overview.data} account={search.account} onChange={narrow} />
          </FilterBar>
        </>
      }
    >
      <DataList
        query={query}
        rows={data?.items}
        label={t('bills.view.requests')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ request_id: id }) => id}
        empty={{ title: t('bills.empty.requests'), text: t('bills.empty.requests_text') }}
        {...(data === undefined || data.total === 0
          ? {}
          : { pager: screen.pager(data.total, data.total_is_lower_bound, data.items.length) })}
      />
    </Screen>
  );
}

function useRequestColumns(): Column<BillRequest>[] {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  return useMemo(
    () => [
      { key: 'model', heading: t('bills.column.model'), cell: (row) => row.model, least: 150, card: 'title', isLocked: true },
      {
        key: 'time',
        heading: t('bills.column.time'),
        cell: (row) => (row.at === 0 ? format.calendarDay(row.day) : format.dateTime(row.at)),
        width: 176,
        card: 'context',
      },
      {
        key: 'state',
        heading: t('bills.column.state'),
        cell: ({ state }) => <StatusMark status={marks[state]}>{t(`bills.request.${state}`)}</StatusMark>,
        width: 150,
        leave: 3,
      },
      { key: 'request', heading: t('bills.column.request'), cell: (row) => <RequestId row={row} />, least: 180, leave: 2, card: 'note' },
      { key: 'ours', heading: t('bills.column.ours'), cell: (row) => dollars(row.ours, format), width: 104, align: 'end', leave: 1 },
      {
        key: 'billed',
        heading: t('bills.column.billed'),
        cell: (row) => dollars(row.billed, format),
        width: 104,
        align: 'end',
      },
      ...(isPhone
        ? [
            {
              key: 'amounts',
              heading: t('bills.column.difference'),
              cell: (row: BillRequest) => `${dollars(row.ours, format)} → ${dollars(row.billed, format)}`,
              card: 'amount' as const,
            },
          ]
        : []),
    ],
    [t, format, isPhone],
  );
}

/** Leads to the call, if there is one. */
function RequestId({ row: { request_id: id, log_id: log } }: { row: BillRequest }) {
  if (log === undefined) return <code className={styles.id}>{id}</code>;
  return (
    <Link className={styles.id} to="/log" search={{ open: String(log) }}>
      {id}
    </Link>
  );
}
