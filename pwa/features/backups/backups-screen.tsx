import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Backup, BackupOverview } from '#shared/backups.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { PanelSpace } from '#pwa/ui/frame/side-panel.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { BackupMark } from './backup-mark.tsx';
import { BackupProgress } from './backup-progress.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import type { BackupsSearch } from './backups-search.ts';
import styles from './backups.module.css';
import { backupsQuery, useStartBackup } from './queries.ts';
import { sizeText } from '#pwa/ui/size-text.ts';

const BackupPanel = lazyPart(
  () => import('./backup-panel.tsx'),
  (part) => part.BackupPanel,
  <PanelSpace />,
);

interface BackupsScreenProps {
  search: BackupsSearch;
  onSearch: (change: Partial<BackupsSearch>) => void;
}

export function BackupsScreen({ search, onSearch }: BackupsScreenProps) {
  const { t } = useTranslation();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(backupsQuery);
  const start = useStartBackup();
  const { data } = query;
  const columns = useBackupColumns();
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: data?.backups, rowKey: ({ id }) => id });
  const running = data?.backups.find(({ state }) => state === 'running');
  const begin = (variant: 'filled' | 'default') => (
    <OnlineButton
      variant={variant}
      loading={start.isPending}
      disabled={running !== undefined}
      onClick={() => start.mutate()}
      label={t('backups.action.start')}
    />
  );
  const isEmpty = data?.backups.length === 0;
  return (
    <Screen
      title={t('backups.title')}
      back="/setting"
      actions={begin(isEmpty || opened !== undefined ? 'default' : 'filled')}
      panelFollows
      panel={
        opened !== undefined && <BackupPanel key={opened.id} backup={opened} onClose={() => onSearch({ open: undefined })} {...ways} />
      }
    >
      {data !== undefined && <BackupState overview={data} />}
      {data !== undefined && running !== undefined && <BackupProgress backup={running} at={data.at} />}
      <DataList
        query={query}
        rows={data?.backups}
        label={t('backups.title')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        open={search.open}
        onOpen={screen.onOpen}
        isMuted={({ state, removed_at: removed }) => state === 'failed' || removed !== undefined}
        empty={{ title: t('backups.empty.title'), text: t('backups.empty.text'), action: begin('filled') }}
      />
    </Screen>
  );
}

/** Whether there is something to do, then the schedule and the place. */
function BackupState({ overview }: { overview: BackupOverview }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { notice, interval_hours: hours, keep, next_at: next, place, where } = overview;
  const time = overview.last_done_at === undefined ? '' : format.ago(overview.last_done_at, overview.at);
  return (
    <p className={`${styles.state} ${layout.baseline}`}>
      {notice === undefined ? (
        overview.last_done_at !== undefined && <StatusMark status="on">{t('backups.notice.good', { time })}</StatusMark>
      ) : (
        <StatusMark status={notice === 'failed' ? 'failed' : 'look'} strong>
          {t(notice === 'never' || time === '' ? `backups.notice.${notice}_first` : `backups.notice.${notice}`, { time })}
        </StatusMark>
      )}
      <span>
        {hours === 0
          ? t('backups.schedule.off')
          : t('backups.schedule.on', {
              hours: format.count(hours),
              keep: format.count(keep),
              time: next === undefined ? '' : format.dateTime(next),
            })}
      </span>
      <span className={styles.break}>
        {t(`backups.place.${place}`)} {where}
      </span>
      <Link className={styles.settings} to="/setting" search={{ tab: 'backup' }}>
        {t('backups.action.settings')}
      </Link>
    </p>
  );
}

function useBackupColumns(): Column<Backup>[] {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      {
        key: 'time',
        heading: t('backups.column.time'),
        cell: (row) => format.dateTime(row.started_at),
        width: 190,
        card: 'title',
        isLocked: true,
      },
      { key: 'state', heading: t('backups.column.state'), cell: (row) => <BackupMark backup={row} />, least: 160, card: 'context' },
      { key: 'trigger', heading: t('backups.column.trigger'), cell: (row) => t(`backups.trigger.${row.trigger}`), width: 120, leave: 3 },
      {
        key: 'place',
        heading: t('backups.column.place'),
        cell: (row) => t(`backups.place.${row.place}`),
        width: 130,
        leave: 2,
        card: 'note',
      },
      {
        key: 'key',
        heading: t('backups.column.key'),
        cell: (row) => t(row.has_key ? 'backups.key.sealed' : 'backups.key.apart'),
        width: 150,
        leave: 4,
      },
      {
        key: 'rows',
        heading: t('backups.column.rows'),
        cell: ({ rows }) => (rows === undefined ? '' : format.count(rows)),
        width: 110,
        align: 'end',
        leave: 1,
      },
      {
        key: 'size',
        heading: t('backups.column.size'),
        cell: ({ bytes }) => (bytes === undefined ? '' : sizeText(bytes, format)),
        width: 100,
        align: 'end',
        card: 'amount',
      },
    ],
    [t, format],
  );
}
