import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import { useColumns } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useCursorPager } from '#pwa/ui/list/use-cursor-pager.ts';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { useAuditWords } from '#pwa/records/audit/use-audit-words.ts';
import { auditColumns, columnsKey } from './audit-columns.tsx';
import { AuditFilterBar } from './audit-filters.tsx';
import { auditRows } from './audit-rows.ts';
import { auditFiltersOf, type AuditSearch, countFilters, noFilters } from './audit-search.ts';
import { auditLogQuery } from './queries.ts';
import styles from './audit-log.module.css';

const AuditPanel = lazyPart(
  () => import('./audit-panel.tsx'),
  (part) => part.AuditPanel,
  <PanelSpace />,
);

interface AuditLogScreenProps {
  search: AuditSearch;
  onSearch: (change: Partial<AuditSearch>) => void;
}

/** Who changed what, when and from where. */
export function AuditLogScreen({ search, onSearch }: AuditLogScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useAuditWords();
  const isPhone = useIsPhone();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(auditLogQuery(auditFiltersOf(search), { size: screen.size, cursor: search.after }));
  const items = query.data?.items;
  const rows = useMemo(() => (items === undefined ? undefined : auditRows(items)), [items]);
  const columns = useMemo(() => auditColumns(t), [t]);
  const chosen = useColumns(columns, columnsKey);
  const { row: opened, ...ways } = useOpenRecord(screen, { rows, rowKey: (row) => row.entry.id });
  const page = query.data;
  const pager = useCursorPager({
    search,
    size: screen.size,
    page: page === undefined ? undefined : { total: page.items.length, total_is_lower_bound: true, cursor: page.cursor },
    onSearch,
  });
  const narrow = (change: Partial<AuditSearch>): void => onSearch({ ...change, p: undefined, after: undefined, open: undefined });
  const today = format.dayKey(Date.now() / 1000);

  return (
    <Screen
      title={t('audit.title')}
      filters={<AuditFilterBar search={search} chosen={chosen} onChange={narrow} />}
      panelFollows
      panel={
        opened !== undefined && (
          <AuditPanel
            row={opened}
            tab={search.tab ?? 'change'}
            onTab={(tab) => onSearch({ tab: tab === 'change' ? undefined : tab })}
            onObject={(object) => narrow({ ...noFilters, object })}
            onClose={() => onSearch({ open: undefined, tab: undefined })}
            {...ways}
          />
        )
      }
    >
      <DataList
        query={query}
        rows={rows}
        label={t('audit.title')}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.entry.id}
        rowName={(row) => `${words.record(row.entry)} ${words.action(row.entry)}`}
        open={search.open}
        onOpen={screen.onOpen}
        group={({ entry }) => {
          const seconds = Math.floor(entry.at / 1000);
          const day = format.day(seconds);
          return { key: format.dayKey(seconds), label: format.dayKey(seconds) === today ? t('audit.day_today', { day }) : day };
        }}
        empty={{ title: t('audit.empty.title'), text: t('audit.empty.text') }}
        filtersSet={countFilters(search)}
        onClearFilters={() => narrow(noFilters)}
        {...(pager === undefined ? {} : { pager })}
      />
      {page?.searched_until !== undefined && page.cursor !== undefined && (
        <p className={styles.searched} role="status">
          {t('audit.searched', { time: format.dateTime(Math.floor(page.searched_until / 1000)) })}
          <Button onClick={() => onSearch({ after: page.cursor, open: undefined })}>{t('audit.search_on')}</Button>
        </p>
      )}
    </Screen>
  );
}
