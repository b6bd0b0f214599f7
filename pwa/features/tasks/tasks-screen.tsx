import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace, SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { useColumns } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import type { TaskSearch } from './task-address.ts';
import { columnsKey, taskColumns } from './task-columns.tsx';
import { TaskFilterBar } from './task-filters.tsx';
import { TaskGallery } from './task-gallery.tsx';
import type { TaskKind } from './task-kinds.ts';
import { useShownKind, useTaskList } from './use-task-list.tsx';
import styles from './tasks.module.css';

// What a list does not need is loaded when a record is opened.
const TaskPanel = lazyPart(
  () => import('./task-panel.tsx'),
  (part) => part.TaskPanel,
  <PanelSpace />,
);

interface TasksScreenProps {
  kind: TaskKind;
  search: TaskSearch;
  onSearch: (change: Partial<TaskSearch>) => void;
}

/** The drawing log, and the task log of music and videos. */
export function TasksScreen({ kind: asked, search, onSearch }: TasksScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const unit = format.inCurrency ? 'USD' : t('common.quota.name');
  const screen = useListScreen({ search, onSearch });
  const kind = useShownKind({ kind: asked, search, size: screen.size });
  const { list, listed, runs, narrow, page } = useTaskList({ kind, search, onSearch, size: screen.size });
  const { isAdmin } = list;
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: listed.rows, rowKey: (row) => row.id });
  const columns = useMemo(() => taskColumns(t, { kind, isAdmin, unit, isPhone }), [t, kind, isAdmin, unit, isPhone]);
  const chosen = useColumns(columns, columnsKey(kind));
  const isGallery = search.view === 'gallery';
  const handleClose = (): void => onSearch({ open: undefined });
  return (
    <Screen
      title={t(`tasks.title.${kind}`)}
      facts={
        page !== undefined && (
          <>
            {runs > 0 && <SummaryItem label={t('tasks.fact.running')}>{format.count(runs)}</SummaryItem>}
            <SummaryItem label={t('tasks.fact.rows')}>
              {format.count(page.total)}
              {page.total_is_lower_bound === true && '+'}
            </SummaryItem>
          </>
        )
      }
      filters={
        <TaskFilterBar
          list={list}
          search={search}
          columns={chosen}
          isTight={search.open !== undefined && !isPhone}
          onNarrow={narrow}
          onView={(view) => onSearch({ view })}
        />
      }
      panelFollows
      panel={
        opened === undefined ? (
          search.open !== undefined && listed.rows !== undefined && <MissingPanel id={search.open} onClose={handleClose} />
        ) : (
          <TaskPanel key={opened.id} row={opened} isAdmin={isAdmin} onClose={handleClose} {...ways} />
        )
      }
    >
      {kind === 'drawing' && isAdmin && <CallbackNote />}
      <DataList
        {...listed}
        label={t(`tasks.title.${kind}`)}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.id}
        rowName={(row) => `${row.title || row.prompt} #${row.id}`}
        open={search.open}
        onOpen={screen.onOpen}
        isTwoLine
        rowsAs={isGallery ? TaskGallery : undefined}
      />
    </Screen>
  );
}

/** Without callbacks, the state of a drawing is only known by polling. */
function CallbackNote() {
  const { t } = useTranslation();
  if (useSiteStatus()?.mj_notify_enabled !== false) return null;
  return (
    <p className={`${layout.baseline} ${styles.banner}`}>
      <StatusMark status="note">{t('tasks.callback.off')}</StatusMark>
      <Link to="/setting" search={{ tab: 'drawing', field: 'MjNotifyEnabled' }}>
        {t('tasks.callback.settings')}
      </Link>
    </p>
  );
}

/** A link led to a row that is not on this page, or it has moved on to another. */
function MissingPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <SidePanel title={t('tasks.panel.missing')} note={`#${id}`} onClose={onClose}>
      <div className={`${layout.stackSm} ${styles.part}`} role="alert">
        <p>{t('tasks.panel.missing_text')}</p>
        <Button onClick={onClose}>{t('common.action.close')}</Button>
      </div>
    </SidePanel>
  );
}
