import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Channel } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { useChannelAlarms } from '#pwa/api/disabled-channels.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { BalanceMeter } from '#pwa/ui/billing/balance-meter.tsx';
import { useStableHandler } from '#pwa/ui/controls/stable-handler.ts';
import { ChannelName, ChannelState, Groups, ResponseTime, typeName } from './channel-cells.tsx';
import { hasCached, isLow } from './channel-figures.ts';
import { CachedShare, CallStrip, FirstByte, OkShare } from './figure-cells.tsx';
import { parsePriority, parseWeight } from './channel-summary.ts';
import { InlineNumber } from './inline-number.tsx';
import { RowActions } from './row-actions.tsx';
import type { ChannelControls } from './use-channel-controls.ts';
import { type ChannelTests, useTestResult } from './use-channel-tests.ts';

interface ChannelColumnsOptions {
  controls: ChannelControls;
  channels: readonly Channel[] | undefined;
  /** Channels stand under the names of their tags. */
  isByTag: boolean;
}

export function useChannelColumns({ controls, channels, isByTag }: ChannelColumnsOptions): Column<Channel>[] {
  const { tests, figures } = controls;
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  const isPhone = useIsPhone();
  const hasTrouble = useChannelAlarms() > 0;
  const hasBalances = channels?.some((channel) => channel.balance_updated_time !== 0) === true;
  const onCommand = useStableHandler(controls.onCommand);
  const onNumber = useStableHandler((channel: Channel, field: 'priority' | 'weight', value: number) =>
    controls.actions.setNumber(channel, field, value),
  );
  return useMemo(
    () => channelColumns({ t, format, isOnline, isPhone, isByTag, hasBalances, hasTrouble, tests, figures, onCommand, onNumber }),
    [t, format, isOnline, isPhone, isByTag, hasBalances, hasTrouble, tests, figures, onCommand, onNumber],
  );
}

/** Context of the cells, apart from their row. */
interface CellContext extends Pick<ChannelControls, 'tests' | 'figures' | 'onCommand'> {
  t: TFunction;
  format: Format;
  isOnline: boolean;
  isPhone: boolean;
  isByTag: boolean;
  /** False until a provider has reported a balance: until then the column is empty. */
  hasBalances: boolean;
  /** A channel fails or was disabled by the system: there are reasons to read. */
  hasTrouble: boolean;
  onNumber: (channel: Channel, field: 'priority' | 'weight', value: number) => Promise<unknown>;
}

function channelColumns(context: CellContext): Column<Channel>[] {
  return [
    ...nameColumns(context),
    ...figureColumns(context),
    ...offerColumns(context),
    ...testColumns(context),
    ...moneyColumns(context),
    ...routingColumns(context),
    actionColumn(context),
  ];
}

function nameColumns({ t, isByTag, hasTrouble }: CellContext): Column<Channel>[] {
  return [
    { key: 'id', heading: 'ID', cell: (row) => row.id, width: 58, align: 'end', sort: 'id', leave: 8 },
    {
      key: 'name',
      heading: t('channels.column.name'),
      cell: (row) => <ChannelName channel={row} isByTag={isByTag} />,
      least: 164,
      comfort: { width: 240, leave: 4 },
      card: 'title',
      isLocked: true,
    },
    {
      key: 'status',
      heading: t('channels.column.status'),
      cell: (row) => <ChannelState channel={row} />,
      width: 176,
      // Of whatever page: its width stays while one turns them.
      ...(hasTrouble ? { comfort: { width: 300, leave: 5 } } : {}),
      card: 'context',
    },
  ];
}

/** How the channel did lately. */
function figureColumns({ t, figures, isPhone }: CellContext): Column<Channel>[] {
  return [
    {
      key: 'calls',
      heading: t('channels.column.calls'),
      cell: (row) => <CallStrip figures={figures} id={row.id} />,
      width: 112,
      leave: 2,
    },
    {
      key: 'ok',
      heading: t('channels.column.ok'),
      cell: (row) => (isPhone && !isLow(figures.of(row.id)) ? null : <OkShare figures={figures} id={row.id} />),
      width: 58,
      align: 'end',
      leave: 1,
      card: 'note',
    },
    {
      key: 'first_byte',
      heading: t('channels.column.first_byte'),
      cell: (row) => <FirstByte figures={figures} id={row.id} />,
      width: 60,
      align: 'end',
      leave: 5,
    },
    {
      key: 'cached',
      heading: t('channels.column.cached'),
      // A card says only what there is to say.
      cell: (row) => (isPhone && !hasCached(figures.of(row.id)) ? null : <CachedShare figures={figures} id={row.id} />),
      width: 66,
      align: 'end',
      leave: 6,
      card: 'note',
    },
  ];
}

/** What the channel offers, and to whom. */
function offerColumns({ t }: CellContext): Column<Channel>[] {
  return [
    { key: 'type', heading: t('channels.column.type'), cell: (row) => typeName(row.type), isOff: true, width: 130, leave: 3 },
    { key: 'group', heading: t('channels.column.group'), cell: (row) => <Groups groups={row.groups} />, width: 130, leave: 9 },
    {
      key: 'models',
      heading: t('channels.column.models'),
      cell: (row) => commaList(row.models).length,
      width: 66,
      align: 'end',
      leave: 10,
    },
  ];
}

function testColumns({ t, format, tests, figures, isPhone }: CellContext): Column<Channel>[] {
  return [
    {
      key: 'response_time',
      heading: t('channels.column.response_time'),
      // A card has room for one of them.
      cell: (row) => (isPhone && isLow(figures.of(row.id)) ? null : <LastTest channel={row} tests={tests} />),
      width: 104,
      leave: 6,
      card: 'note',
    },
    {
      key: 'test_time',
      heading: t('channels.column.test_time'),
      cell: (row) =>
        row.test_time === 0 ? '—' : <span title={format.dateTime(row.test_time)}>{format.ago(row.test_time, Date.now() / 1000)}</span>,
      width: 96,
      leave: 11,
    },
  ];
}

function moneyColumns({ t, format, isPhone, hasBalances }: CellContext): Column<Channel>[] {
  const unit = format.unit === '' ? '' : ` ${format.unit}`;
  return [
    {
      key: 'balance',
      heading: t('channels.column.used') + unit,
      // A card has no heading that says what the amount is.
      cell: (row) => (isPhone ? t('channels.used', { amount: format.quota(row.used_quota) }) : <QuotaCell quota={row.used_quota} />),
      width: 104,
      align: 'end',
      leave: 7,
      card: 'amount',
    },
    {
      key: 'left',
      heading: t('channels.column.left'),
      cell: (row) =>
        row.balance_updated_time === 0 ? (
          t('channels.left_unknown')
        ) : (
          <BalanceMeter
            size="row"
            label={t('channels.column.left')}
            value={row.balance}
            fullMark={row.balance_full}
            valueText={format.usdBare(row.balance)}
          />
        ),
      width: 104,
      align: 'end',
      leave: 3,
      isOff: !hasBalances,
    },
  ];
}

/** Order in which channels are tried, edited in the row. */
function routingColumns({ t, isOnline, onNumber }: CellContext): Column<Channel>[] {
  const numbers = [
    { field: 'priority', parse: parsePriority, leave: 0, sort: 'priority' },
    { field: 'weight', parse: parseWeight, leave: 3 },
  ] as const;
  return numbers.map(({ field, parse, ...column }) => ({
    key: field,
    heading: t(`channels.column.${field}`),
    cell: (row) => (
      <InlineNumber
        label={t(`channels.inline.${field}`, { name: row.name })}
        value={row[field]}
        disabled={!isOnline || row.managed_by !== undefined}
        parse={parse}
        problem={t(`channels.inline.${field}_problem`)}
        emptyProblem={t(`channels.inline.${field}_empty`)}
        onSave={(value) => onNumber(row, field, value)}
      />
    ),
    width: 76,
    align: 'end',
    ...column,
  }));
}

function actionColumn({ t, isOnline, tests, onCommand }: CellContext): Column<Channel> {
  return {
    key: 'operate',
    heading: t('channels.column.actions'),
    cell: (row) => <RowActions channel={row} isOnline={isOnline} tests={tests} onCommand={onCommand} />,
    width: 96,
    align: 'end',
    isLocked: true,
  };
}

function LastTest({ channel, tests }: { channel: Channel; tests: ChannelTests }) {
  return <ResponseTime channel={channel} result={useTestResult(tests, channel.id)} />;
}
