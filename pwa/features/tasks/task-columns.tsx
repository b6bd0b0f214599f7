import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Tag } from '#pwa/ui/controls/tag.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { serverWords } from '#pwa/ui/server-words.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { Picture } from './picture.tsx';
import type { TaskKind } from './task-kinds.ts';
import { Duration, Progress, TaskMark, useActionText, useCodeText } from './task-labels.tsx';
import { durationOf, isUnfinished, type TaskRow } from './task-row.ts';
import styles from './tasks.module.css';

interface ColumnOptions {
  kind: TaskKind;
  isAdmin: boolean;
  unit: string;
  isPhone: boolean;
}

const columnNames = { drawing: 'drawings', music: 'tasks', video: 'videos' } as const;
export const columnsKey = (kind: TaskKind): string => `${columnNames[kind]}-table-columns`;

export function taskColumns(t: TFunction, { kind, isAdmin, unit, isPhone }: ColumnOptions): Column<TaskRow>[] {
  return [
    { key: 'picture', heading: t('tasks.column.picture'), cell: (row) => <Thumbnail row={row} />, width: 68, leave: 2, card: 'picture' },
    {
      key: 'submitted',
      heading: t('tasks.column.submitted'),
      cell: (row) => <Moment at={row.submitted} isTwoLine />,
      width: 112,
      leave: 4,
      card: 'context',
    },
    ...whoseColumns(t, isAdmin),
    {
      key: 'action',
      heading: t('tasks.column.action'),
      cell: (row) => <ActionTag row={row} />,
      width: kind === 'video' ? 136 : 108,
      leave: 6,
      card: 'context',
    },
    { key: 'prompt', heading: t('tasks.column.prompt'), cell: (row) => <What row={row} />, least: 180, card: 'title', isLocked: true },
    {
      key: 'id',
      heading: t('tasks.column.id'),
      cell: (row) => <span className={typography.mono}>{row.upstreamId}</span>,
      width: 150,
      isOff: true,
      leave: 13,
    },
    ...videoColumns(t, kind),
    ...standingColumns(t, { kind, isAdmin, isPhone }),
    {
      key: 'duration',
      heading: t('tasks.column.duration'),
      cell: (row) => <Took row={row} />,
      width: 88,
      align: 'end',
      leave: 7,
    },
    {
      key: 'finished',
      heading: t('tasks.column.finished'),
      cell: (row) => <Moment at={row.finished} />,
      width: 164,
      leave: 11,
      isOff: kind === 'drawing',
    },
    {
      key: 'reason',
      heading: t('tasks.column.reason'),
      cell: (row) => <Words text={serverWords(t, row.failReason)} />,
      width: 160,
      leave: 12,
      isOff: true,
    },
    {
      key: 'cost',
      heading: t('tasks.column.cost', { unit }),
      cell: (row) => <Cost row={row} />,
      width: 104,
      align: 'end',
      leave: 3,
      card: 'amount',
    },
  ];
}

function whoseColumns(t: TFunction, isAdmin: boolean): Column<TaskRow>[] {
  if (!isAdmin) return [];
  return [
    { key: 'username', heading: t('tasks.column.user'), cell: (row) => row.username, width: 104, leave: 5, card: 'context' },
    {
      key: 'channel',
      heading: t('tasks.column.channel'),
      cell: (row) => <ChannelName row={row} />,
      width: 104,
      comfort: { width: 144, leave: 9 },
      leave: 8,
    },
  ];
}

function videoColumns(t: TFunction, kind: TaskKind): Column<TaskRow>[] {
  if (kind !== 'video') return [];
  return [
    {
      key: 'video',
      heading: t('tasks.column.video'),
      cell: ({ video }) =>
        video !== undefined && (
          <span>
            {t('tasks.video.seconds', { count: video.seconds })}
            <small>{video.size}</small>
          </span>
        ),
      width: 104,
      leave: 10,
      card: 'context',
    },
    { key: 'model', heading: t('tasks.column.model'), cell: ({ video }) => video?.model, width: 150, isOff: true, leave: 15 },
  ];
}

function standingColumns(t: TFunction, { kind, isAdmin, isPhone }: Omit<ColumnOptions, 'unit'>): Column<TaskRow>[] {
  const code: Column<TaskRow> = {
    key: 'code',
    heading: t('tasks.column.code'),
    cell: (row) => <Code row={row} />,
    width: 116,
    leave: 14,
    isOff: true,
  };
  return [
    ...(isAdmin && kind === 'drawing' ? [code] : []),
    { key: 'status', heading: t('tasks.column.status'), cell: (row) => <TaskMark row={row} />, width: 124, card: 'note', isLocked: true },
    {
      key: 'progress',
      heading: t('tasks.column.progress'),
      cell: (row) => (isPhone ? cardProgress(row) : <Progress row={row} />),
      width: 112,
      leave: 9,
      card: 'note',
    },
  ];
}

function Thumbnail({ row }: { row: TaskRow }) {
  return <Picture src={row.picture} kind={row.kind} alt="" isSmall />;
}

/** A deleted channel has only its number. */
function ChannelName({ row: { channel, channelName: name } }: { row: TaskRow }) {
  if (channel === 0) return '—';
  return (
    <span className={`${typography.ellipsis} ${styles.cut}`} title={`#${channel} ${name}`.trim()}>
      {name || `#${channel}`}
    </span>
  );
}

/** In a narrow column the time stands below its day. */
function Moment({ at, isTwoLine = false }: { at: number; isTwoLine?: boolean }) {
  const format = useFormat();
  const seconds = Math.floor(at / 1000);
  const isToday = format.dayKey(seconds) === format.dayKey(Date.now() / 1000);
  // A card has room for the day where it is another one.
  if (useIsPhone()) return at > 0 && (isToday ? format.clock(seconds) : `${format.day(seconds)} ${format.clock(seconds)}`);
  if (!isTwoLine || at <= 0) return <span className={typography.muted}>{at > 0 ? format.dateTime(seconds) : '—'}</span>;
  return (
    <span title={format.dateTime(seconds)}>
      {format.day(seconds)}
      <small>{format.clock(seconds)}</small>
    </span>
  );
}

function ActionTag({ row }: { row: TaskRow }) {
  const text = useActionText();
  return useIsPhone() ? text(row.action) : <Tag>{text(row.action)}</Tag>;
}

/** Title or prompt; below it the reason of a failure, or the id. */
function What({ row }: { row: TaskRow }) {
  const { t } = useTranslation();
  const name = row.title || row.prompt || t('tasks.no_prompt');
  const why = serverWords(t, row.failReason);
  if (useIsPhone()) return name;
  return (
    <>
      <span className={`${typography.ellipsis} ${styles.cut}`} title={name}>
        {name}
      </span>
      {row.failReason === '' ? (
        <small className={typography.mono}>{row.upstreamId}</small>
      ) : (
        <small className={styles.why} title={why}>
          {why}
        </small>
      )}
    </>
  );
}

function Words({ text }: { text: string }) {
  return (
    <span className={`${typography.ellipsis} ${styles.cut}`} title={text === '' ? undefined : text}>
      {text || '—'}
    </span>
  );
}

function Code({ row }: { row: TaskRow }) {
  const text = useCodeText();
  return 'code' in row.source ? text(row.source.code) : null;
}

/** A card says how far it has come while that changes, and afterwards how long it took. Nothing where there is nothing to say: the parts of a card are joined by dots. */
function cardProgress(row: TaskRow): ReactNode {
  if (isUnfinished(row)) return row.percent === undefined ? null : `${row.percent}%`;
  const duration = durationOf(row);
  return duration === undefined ? null : <PlainDuration milliseconds={duration} />;
}

function PlainDuration({ milliseconds }: { milliseconds: number }) {
  return useFormat().duration(milliseconds);
}

function Took({ row }: { row: TaskRow }) {
  const duration = durationOf(row);
  return duration === undefined ? <span className={typography.muted}>—</span> : <Duration milliseconds={duration} />;
}

/** What it cost in the end. */
function Cost({ row }: { row: TaskRow }) {
  const { t } = useTranslation();
  if (row.quota > 0 && row.refunded >= row.quota) return <span className={typography.muted}>{t('tasks.refunded')}</span>;
  return row.quota === 0 ? <span className={typography.muted}>{t('tasks.not_charged')}</span> : <Charge quota={row.quota - row.refunded} />;
}
