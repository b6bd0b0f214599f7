import type { TFunction } from 'i18next';
import type { DriftBy, DriftRow, DriftState } from '#shared/provider-bills.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { difference, dollars } from './dollars.ts';

const marks: Record<DriftState, Status> = { even: 'on', unbilled: 'look', foreign: 'failed', over: 'failed', under: 'look' };

interface ColumnParts {
  t: TFunction;
  format: Format;
  by: DriftBy;
}

export function driftColumns({ t, format, by }: ColumnParts): Column<DriftRow>[] {
  const name = by === 'day' ? 'day' : by === 'account' ? 'account' : 'model';
  const cells: Record<'model' | 'day' | 'account', (row: DriftRow) => string> = {
    model: (row) => row.model,
    day: (row) => format.calendarDay(row.day),
    account: (row) => row.account_name,
  };
  const counts = (row: DriftRow): string =>
    `${row.ours.calls === undefined ? '—' : format.count(row.ours.calls)} / ${row.billed.calls === undefined ? '—' : format.count(row.billed.calls)}`;
  return [
    { key: name, heading: t(`bills.column.${name}`), cell: cells[name], least: 150, card: 'title', isLocked: true },
    ...(by === 'none' ? [{ key: 'day', heading: t('bills.column.day'), cell: cells.day, width: 116, card: 'context' } as const] : []),
    ...(by === 'account'
      ? []
      : [{ key: 'account', heading: t('bills.column.account'), cell: cells.account, width: 130, leave: 3, card: 'note' } as const]),
    {
      key: 'state',
      heading: t('bills.column.state'),
      cell: (row) => <StatusMark status={marks[row.state]}>{t(`bills.state.${row.state}`)}</StatusMark>,
      width: 150,
      card: 'context',
    },
    { key: 'calls', heading: t('bills.column.calls'), cell: counts, width: 140, align: 'end', leave: 4 },
    { key: 'ours', heading: t('bills.column.ours'), cell: (row) => dollars(row.ours.amount, format), width: 104, align: 'end', leave: 2 },
    {
      key: 'billed',
      heading: t('bills.column.billed'),
      cell: (row) => dollars(row.billed.amount, format),
      width: 104,
      align: 'end',
      leave: 1,
    },
    {
      key: 'difference',
      heading: t('bills.column.difference'),
      cell: (row) => difference(row.difference, format),
      width: 112,
      align: 'end',
      card: 'amount',
    },
    {
      key: 'percent',
      heading: '%',
      cell: ({ percent }) => (percent === undefined ? '—' : `${percent > 0 ? '+' : ''}${format.ratio(percent).replace('-', '\u2212')}`),
      width: 84,
      align: 'end',
      leave: 5,
    },
  ];
}
