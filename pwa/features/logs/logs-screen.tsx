import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Log, LogType } from '#shared/logs.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { useIsPhone, useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { type Column, useColumns } from '#pwa/ui/list/columns.tsx';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { listColumns } from './list-columns.ts';
import { columnsKey, logColumns } from './log-columns.tsx';
import { LogFacts } from './log-facts.tsx';
import { LogFilterBar } from './log-filters.tsx';
import { QuickFilterMenu } from './quick-filter-menu.tsx';
import type { LogSearch } from './log-address.ts';
import { exactModel, isAboutCalls } from './log-search.ts';
import { type LogList, useNamesMembers } from './queries.ts';
import { ViewSwitch } from './view-switch.tsx';
import { useLogList } from './use-log-list.tsx';
import styles from './logs.module.css';

const LogPanel = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./log-panel.tsx'), loadTexts('receipt', 'sessions')]);
    return part;
  },
  (part) => part.LogPanel,
);
const LinkedLog = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./linked-log.tsx'), loadTexts('receipt', 'sessions')]);
    return part;
  },
  (part) => part.LinkedLog,
);

const LogTimeline = lazyPart(
  () => import('./log-timeline.tsx'),
  (part) => part.LogTimeline,
  <div className={styles.timeline} />,
);

interface LogsScreenProps {
  search: LogSearch;
  onSearch: (change: Partial<LogSearch>) => void;
}

const SessionsScreen = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./sessions-screen.tsx'), loadTexts('sessions')]);
    return part;
  },
  (part) => part.SessionsScreen,
);

/** Calls, or the sessions that they belong to. */
export function LogsScreen(props: LogsScreenProps) {
  return props.search.view === 'sessions' ? <SessionsScreen {...props} /> : <CallsScreen {...props} />;
}

function useLogColumns({ isAdmin, filters: given }: LogList, unit: string, onFilter: (change: Partial<LogSearch>) => void): Column<Log>[] {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const hasMembers = useNamesMembers();
  const filters = JSON.stringify(given);
  return useMemo(() => {
    const menu = (log: Log) => <QuickFilterMenu log={log} search={JSON.parse(filters)} isAdmin={isAdmin} onFilter={onFilter} />;
    return logColumns(t, { isAdmin, hasMembers, unit, isPhone, menu });
  }, [t, isAdmin, hasMembers, unit, isPhone, filters, onFilter]);
}

function CallsScreen({ search, onSearch }: LogsScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const isTouched = useIsTouched();
  const unit = format.inCurrency ? 'USD' : t('common.quota.name');
  const screen = useListScreen({ search, onSearch });
  const { list, query, sums, listed, newer, narrow } = useLogList({ search, onSearch, size: screen.size });
  const { isAdmin } = list;
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: listed.rows, rowKey: (row) => row.id });
  // An open panel leaves less space.
  const isTight = search.open !== undefined && !isPhone;
  const handleFilter = useStableHandler((change: Partial<LogSearch>) => narrow({ ...change, open: undefined }));
  const type = list.filters.result === 'refused' ? LogType.refusal : list.filters.type;
  const wide = useLogColumns(list, unit, handleFilter);
  const columns = useMemo(() => listColumns(wide, { type, isTight }), [type, isTight, wide]);
  const chosen = useColumns(columns, columnsKey);
  const handleClose = (): void => onSearch({ open: undefined });
  const handleAlike = (log: Log): void =>
    narrow({ model: exactModel(log.model_name), token: log.token_name === '' ? undefined : log.token_name, open: undefined });

  return (
    <Screen
      title={t('logs.title')}
      facts={sums !== undefined && <LogFacts sums={sums} page={query.data} unit={unit} isAboutCalls={isAboutCalls(list.filters)} />}
      actions={<ViewSwitch search={search} onSearch={onSearch} />}
      filters={<LogFilterBar search={search} isAdmin={isAdmin} chosen={chosen} isTight={isTight} onChange={narrow} list={list} />}
      panelFollows
      panel={
        opened !== undefined ? (
          <LogPanel
            log={opened}
            isAdmin={isAdmin}
            onClose={handleClose}
            {...ways}
            onAlike={handleAlike}
            onFilter={handleFilter}
            search={search}
          />
        ) : (
          search.open !== undefined && (
            <LinkedLog
              key={search.open}
              id={search.open}
              isAdmin={isAdmin}
              onClose={handleClose}
              onAlike={handleAlike}
              onFilter={handleFilter}
              search={search}
            />
          )
        )
      }
    >
      {!isTouched && <LogTimeline list={list} onNarrow={narrow} />}
      <NewerRows {...newer} />
      <DataList
        {...listed}
        label={t('logs.title')}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.id}
        rowName={(row) => `${row.model_name} ${format.dateTime(row.created_at)}`}
        open={search.open}
        onOpen={screen.onOpen}
      />
    </Screen>
  );
}

/** Rows that came while the list was read; they are put in when one wants them. */
function NewerRows({ count, onShow }: { count: number; onShow: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.newer} role="status">
      {count > 0 && (
        <Button size="compact-sm" variant="default" onClick={onShow}>
          {count === 1 ? t('logs.newer.one') : t('logs.newer.many', { count })}
        </Button>
      )}
    </div>
  );
}
