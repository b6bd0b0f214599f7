import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelKey, ChannelKeySheet } from '#shared/channel-keys.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { endingText, KeyMark, useStateReason } from './key-mark.tsx';
import { KeyStrip } from './key-strip.tsx';

/** Columns of the keys of a channel. */
export function useKeyColumns(sheet: ChannelKeySheet | undefined): Column<ChannelKey>[] {
  const { t } = useTranslation();
  const format = useFormat();
  const reasonOf = useStateReason();
  const isPhone = useIsPhone();
  return useMemo(
    () => keyColumns({ t, format, reasonOf, all: sheet?.keys ?? [], now: sheet?.time ?? 0, isPhone }),
    [t, format, reasonOf, sheet, isPhone],
  );
}

interface ColumnsContext {
  t: TFunction;
  format: Format;
  reasonOf: (key: ChannelKey) => string;
  all: readonly ChannelKey[];
  /** Unix seconds. */
  now: number;
  isPhone: boolean;
}

function keyColumns({ t, format, reasonOf, all, now, isPhone }: ColumnsContext): Column<ChannelKey>[] {
  return [
    {
      key: 'key',
      heading: t('channel-keys.column.key'),
      cell: (row) => (
        <span>
          <span className={typography.mono}>{endingText(row.ending)}</span>
          <small>{row.note || t('channel-keys.added', { date: format.date(row.created_time) })}</small>
        </span>
      ),
      least: 120,
      card: 'title',
      isLocked: true,
    },
    ...(isPhone
      ? [
          {
            key: 'note',
            heading: t('channel-keys.field.note'),
            cell: ({ note }: ChannelKey) => note,
            card: 'note' as const,
          },
        ]
      : []),
    {
      key: 'state',
      heading: t('channel-keys.column.state'),
      cell: (row) => (
        <span>
          <KeyMark of={row} />
          {reasonOf(row) !== '' && <small>{reasonOf(row)}</small>}
        </span>
      ),
      width: 240,
      card: 'context',
    },
    ...figureColumns({ t, format, reasonOf, all, now, isPhone }),
  ];
}

function figureColumns({ t, format, all, now, isPhone }: ColumnsContext): Column<ChannelKey>[] {
  const sum = all.reduce((calls, key) => calls + key.calls, 0);
  const share = ({ calls }: ChannelKey): string => (sum === 0 ? '' : `${Math.round((calls / sum) * 100)} %`);
  return [
    { key: 'hours', heading: t('channel-keys.column.hours'), cell: (row) => <KeyStrip of={row} />, width: 96, leave: 2 },
    { key: 'weight', heading: t('channel-keys.column.weight'), cell: (row) => format.count(row.weight), width: 90, align: 'end', leave: 3 },
    {
      key: 'calls',
      heading: t('channel-keys.column.calls'),
      cell: (row) => (
        <span>
          {isPhone ? t('channel-keys.day_calls', { calls: format.count(row.calls) }) : format.count(row.calls)}
          <small>{share(row)}</small>
        </span>
      ),
      width: 90,
      align: 'end',
      card: 'amount',
    },
    {
      key: 'errors',
      heading: t('channel-keys.column.errors'),
      cell: (row) => format.count(row.failures),
      width: 80,
      align: 'end',
      leave: 2,
    },
    {
      key: 'used',
      heading: t('channel-keys.column.used'),
      cell: (row) => (row.last_used_time === 0 ? t('channel-keys.never') : format.ago(row.last_used_time, now)),
      width: 120,
      align: 'end',
      leave: 1,
    },
  ];
}
