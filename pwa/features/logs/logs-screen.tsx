import { Button } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Log, LogType } from '#shared/logs.ts';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { useColumns } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import type { PagerProps } from '#pwa/ui/list/pager.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { columnsKey, logColumns, tightColumns } from './log-columns.tsx';
import { exportLogs } from './log-export.ts';
import { LogFilterBar } from './log-filters.tsx';
import { LinkedLog } from './linked-log.tsx';
import { LogPanel } from './log-panel.tsx';
import type { LogSearch } from './log-address.ts';
import { boundsOf, countFilters, dayWithin, exactModel, filtersOf, noFilters, rangeOf } from './log-search.ts';
import { useFollow } from './use-follow.ts';
import { daySumQuery, type LogList, logsQuery, logSumsQuery } from './queries.ts';
import styles from './logs.module.css';

interface LogsScreenProps {
  search: LogSearch;
  onSearch: (change: Partial<LogSearch>) => void;
}

/** So many days of one page get their sum; further ones stand without. */
const summedDays = 8;

export function LogsScreen({ search, onSearch }: LogsScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const isAdmin = (useStoredUser()?.role ?? 0) >= Role.admin;
  const list: LogList = { isAdmin, filters: filtersOf(search, isAdmin), range: rangeOf(search) };
  // The sums are: above a list of other rows they would say nothing.
  const isAboutCalls = (list.filters.type ?? LogType.consumption) === LogType.consumption && list.filters.result !== 'refused';
  const screen = useListScreen({ search, onSearch });
  const { size } = screen;
  const query = useQuery(logsQuery(list, { page: search.p ?? 1, size, cursor: search.after }));
  const sums = useQuery(logSumsQuery(list));
  const rows = query.data?.items;
  const unit = format.inCurrency ? 'USD' : t('common.quota.name');
  const dayOf = useDays(list, rows ?? [], sums.data?.quota);
  const pager = usePager({ search, size, onSearch, page: query.data });

  const isFirst = (search.p ?? 1) === 1 && search.after === undefined && list.range.to === undefined;
  const { newer, show } = useFollow({ list, size, isFirst, isOpen: search.open !== undefined });

  const { row: opened, ...ways } = screen.walk({ rows, rowKey: (row) => row.id });
  // A panel beside the list leaves less room.
  const isTight = search.open !== undefined && !isPhone;
  const wide = useMemo(() => logColumns(t, { isAdmin, unit, isPhone }), [t, isAdmin, unit, isPhone]);
  const columns = useMemo(() => (isTight ? tightColumns(wide) : wide), [isTight, wide]);
  const chosen = useColumns(columns, columnsKey);
  const narrow = (change: Partial<LogSearch>): void => onSearch({ ...change, p: undefined, after: undefined });
  const handleClose = (): void => onSearch({ open: undefined });
  const handleAlike = (log: Log): void =>
    narrow({ model: exactModel(log.model_name), token: log.token_name === '' ? undefined : log.token_name, open: undefined });

  return (
    <Screen
      title={t('logs.title')}
      facts={
        sums.data !== undefined && (
          <>
            {isAboutCalls && (
              <SummaryItem label={t('logs.fact.spent')} unit={unit}>
                {format.charge(sums.data.quota)}
              </SummaryItem>
            )}
            {query.data !== undefined && (
              <SummaryItem label={t('logs.fact.rows')}>
                {format.count(query.data.total)}
                {query.data.total_is_lower_bound === true && '+'}
              </SummaryItem>
            )}
            {isAboutCalls && (
              <>
                <SummaryItem label="RPM">
                  <ShortCount count={sums.data.rpm} />
                </SummaryItem>
                <SummaryItem label="TPM">
                  <ShortCount count={sums.data.tpm} />
                </SummaryItem>
              </>
            )}
          </>
        )
      }
      filters={
        <LogFilterBar
          search={search}
          isAdmin={isAdmin}
          chosen={chosen}
          isTight={isTight}
          onChange={narrow}
          onExport={() => exportLogs(list, t)}
        />
      }
      panel={
        opened !== undefined ? (
          <LogPanel log={opened} isAdmin={isAdmin} onClose={handleClose} {...ways} onAlike={handleAlike} />
        ) : (
          search.open !== undefined && (
            <LinkedLog key={search.open} id={search.open} isAdmin={isAdmin} onClose={handleClose} onAlike={handleAlike} />
          )
        )
      }
    >
      <div className={styles.newer} role="status">
        {newer > 0 && (
          <Button size="compact-sm" variant="default" onClick={show}>
            {newer === 1 ? t('logs.newer.one') : t('logs.newer.many', { count: newer })}
          </Button>
        )}
      </div>
      <DataList
        label={t('logs.title')}
        query={query}
        rows={rows}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.id}
        rowName={(row) => `${row.model_name} ${format.dateTime(row.created_at)}`}
        open={search.open}
        onOpen={(open) => onSearch({ open })}
        group={dayOf}
        empty={{
          title: t('logs.empty.title'),
          text: t(search.range === 'custom' || search.range === 'week' ? 'logs.empty.never' : 'logs.empty.in_range'),
          ...(search.range === 'custom' || search.range === 'week'
            ? {}
            : { action: <Button onClick={() => narrow({ range: 'week' })}>{t('logs.empty.show_week')}</Button> }),
        }}
        filtersSet={countFilters(list.filters)}
        onClearFilters={() => narrow(noFilters)}
        {...(pager === undefined ? {} : { pager })}
      />
    </Screen>
  );
}

/** The ledger day of a row, with what its calls cost. */
function useDays(list: LogList, rows: readonly Log[], whole: number | undefined) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = Date.now();
  const bounds = boundsOf(list.range, now);
  const keys = [...new Set(rows.map((row) => format.dayKey(row.created_at)))];
  const today = format.dayKey(now / 1000);
  // Within one day, the sum of the range is the sum of the day.
  const isOneDay = bounds.start !== undefined && format.dayKey(bounds.start) === format.dayKey(bounds.end ?? now / 1000);
  const asked = isOneDay ? [] : keys.slice(0, summedDays);
  const days = asked.flatMap((key) => {
    const row = rows.find((one) => format.dayKey(one.created_at) === key);
    return row === undefined ? [] : [{ key, bounds: dayWithin(row.created_at, bounds) }];
  });
  const results = useQueries({ queries: days.map((day) => daySumQuery(list, day.bounds)) });
  const sums = new Map(days.map((day, index) => [day.key, results[index]?.data?.quota]));

  return (row: Log) => {
    const key = format.dayKey(row.created_at);
    const day = format.day(row.created_at);
    const quota = isOneDay ? whole : sums.get(key);
    return {
      key,
      label: key === today ? t('logs.day.today', { day }) : day,
      // Sums are about calls: above other rows they would say nothing.
      sum:
        quota === undefined ||
        list.filters.result === 'refused' ||
        (list.filters.type ?? LogType.consumption) !== LogType.consumption ? undefined : (
          <b>{format.charge(quota)}</b>
        ),
    };
  };
}

interface PagerInput {
  search: LogSearch;
  size: number;
  page: { total: number; total_is_lower_bound?: boolean | undefined; cursor?: string | undefined } | undefined;
  onSearch: (change: Partial<LogSearch>) => void;
}

/** By number as far as rows are counted; beyond that from page to page by cursor. */
function usePager({ search, size, page, onSearch }: PagerInput): PagerProps | undefined {
  // Where the pages before this one began; after a reload the way back leads to the first.
  const trail = useRef<string[]>([]);
  if (page === undefined || (page.total === 0 && search.after === undefined)) return undefined;
  const onSize = (next: number): void => onSearch({ size: next, p: undefined, after: undefined });
  const isStream = search.after !== undefined || page.total_is_lower_bound === true;
  if (!isStream) {
    return {
      page: search.p ?? 1,
      size,
      total: page.total,
      onSize,
      onPage: (next) => onSearch({ p: next === 1 ? undefined : next, open: undefined }),
    };
  }
  return {
    cursor: true,
    size,
    hasNewer: search.after !== undefined,
    hasOlder: page.cursor !== undefined,
    onNewer: () => onSearch({ after: trail.current.pop(), open: undefined }),
    onOlder: () => {
      if (search.after !== undefined) trail.current.push(search.after);
      onSearch({ after: page.cursor, p: undefined, open: undefined });
    },
    onSize,
  };
}
