import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountBalance, BalanceSums } from '#shared/statement.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { download } from '#pwa/ui/controls/download.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { useIsPhone, useIsTablet } from '#pwa/ui/frame/breakpoint.ts';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList, type RowGroup } from '#pwa/ui/list/data-list.tsx';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import { type BalancesSearch, monthAfter, spanOfMonth } from './balances-search.ts';
import styles from './balances.module.css';
import { balancesFile, balancesQuery, balanceSumsQuery } from './queries.ts';

interface BalancesScreenProps {
  search: BalancesSearch;
  onSearch: (change: Partial<BalancesSearch>) => void;
  /** Opens the statement of an account over the same month. */
  onAccount: (userId: number) => void;
}

const amounts = ['opening', 'top_ups', 'adjustments', 'refunds', 'spent', 'closing'] as const;
type Amount = (typeof amounts)[number];

/** What every account had, was given, spent and has left in a month, with the sums of all. */
export function BalancesScreen({ search, onSearch, onAccount }: BalancesScreenProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  const { month } = search;
  const screen = useListScreen({ search, onSearch, open: undefined, onOpen: (id) => id !== undefined && onAccount(Number(id)) });
  const query = useQuery(balancesQuery({ month, page: screen.page, size: screen.size }));
  const sums = useQuery(balanceSumsQuery(month)).data;
  const columns = useBalanceColumns();
  const sumRow = useSumRow(sums);
  const { data } = query;
  return (
    <Screen
      title={t('balances.title')}
      back="/user"
      filters={<MonthPicker search={search} onSearch={onSearch} />}
      actions={
        <Button disabled={!isOnline} onClick={() => download(balancesFile(month))}>
          {t('balances.csv')}
        </Button>
      }
    >
      {data !== undefined && data.from > spanOfMonth(search, Date.now()).start && <LaterStart from={data.from} to={data.to} />}
      {data !== undefined && data.from < Math.min(data.rows_from ?? 0, data.to) && (
        <p className={styles.note}>{t('balances.deleted_rows', { time: format.dateTime(Math.min(data.rows_from ?? 0, data.to)) })}</p>
      )}
      {sums?.imported !== undefined && sums.imported !== 0 && (
        <p className={styles.note}>{t('balances.imported', { amount: format.quota(sums.imported) })}</p>
      )}
      <DataList
        query={query}
        rows={data?.items}
        label={t('balances.title')}
        columns={columns}
        rowKey={(row) => row.user_id}
        rowName={(row) => row.username}
        onOpen={screen.onOpen}
        isMuted={(row) => row.is_deleted}
        total={sumRow}
        empty={{ title: t('balances.empty.title'), text: t('balances.empty.text') }}
        {...(data === undefined || data.total === 0
          ? {}
          : { pager: screen.pager(data.total, data.total_is_lower_bound, data.items.length) })}
      />
    </Screen>
  );
}

/** What rows took that an earlier version deleted is known as one sum, and not when. */
function LaterStart({ from, to }: { from: number; to: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  return <p className={styles.note}>{from < to ? t('balances.later', { time: format.dateTime(from) }) : t('balances.none')}</p>;
}

function MonthPicker({ search, onSearch }: Pick<BalancesScreenProps, 'search' | 'onSearch'>) {
  const { t } = useTranslation();
  const format = useFormat();
  const { start, isCurrent } = spanOfMonth(search, Date.now());
  const handleMonth = (months: number): void => onSearch({ month: monthAfter(start, months), p: undefined });
  return (
    <div className={styles.month} role="group" aria-label={t('balances.month')}>
      <ActionIcon aria-label={t('balances.previous')} onClick={() => handleMonth(-1)}>
        <Icon name="left" />
      </ActionIcon>
      <b aria-live="polite">{format.month(start)}</b>
      <ActionIcon aria-label={t('balances.next')} disabled={isCurrent} onClick={() => handleMonth(1)}>
        <Icon name="right" />
      </ActionIcon>
      <span className={styles.quiet}>{format.timeZone}</span>
    </div>
  );
}

/** The end of the list: what all accounts come to, those of other pages too. */
function useSumRow(sums: BalanceSums | undefined): RowGroup | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  if (sums === undefined) return undefined;
  return {
    key: 'sum',
    label: t('balances.sum', { count: sums.accounts, accounts: format.count(sums.accounts) }),
    sum: (
      <span className={styles.sums}>
        {amounts.map((name) => (
          <span key={name}>{t(`balances.card.${name}`, { amount: format.quota(sums[name]) })}</span>
        ))}
      </span>
    ),
    cells: Object.fromEntries(
      [...amounts, 'credited' as const].map((name) => [name, <QuotaCell key={name} quota={amountOf(sums, name)} />]),
    ),
  };
}

function useBalanceColumns(): Column<AccountBalance>[] {
  const { t } = useTranslation();
  const { unit } = useFormat();
  const isPhone = useIsPhone();
  const isTablet = useIsTablet();
  return useMemo(
    () => (isPhone ? cardColumns(t) : tableColumns({ t, unit, shown: isTablet ? fewAmounts : amounts })),
    [t, unit, isPhone, isTablet],
  );
}

/** A tablet shows credits as one amount. No column leaves: the amounts of a row add up in front of the reader. */
const fewAmounts = ['opening', 'credited', 'spent', 'closing'] as const;

function amountOf(row: Pick<AccountBalance, Amount>, name: Amount | 'credited'): number {
  return name === 'credited' ? row.top_ups + row.adjustments + row.refunds : row[name];
}

interface TableParts {
  t: TFunction;
  unit: string;
  shown: readonly (Amount | 'credited')[];
}

function tableColumns({ t, unit, shown }: TableParts): Column<AccountBalance>[] {
  return [
    { key: 'account', heading: t('balances.column.account'), cell: (row) => <Account row={row} />, least: 160, isLocked: true },
    ...shown.map((name): Column<AccountBalance> => {
      const heading = t(`balances.column.${name}`);
      return {
        key: name,
        heading: unit === '' ? heading : `${heading} ${unit}`,
        cell: (row) => <QuotaCell quota={amountOf(row, name)} />,
        width: shown.length === amounts.length ? 112 : 92,
        align: 'end',
      };
    }),
  ];
}

/** A card has one line for what came and went: what was spent first, as the end may be cut. With what was there they make the amount. */
function cardColumns(t: TFunction): Column<AccountBalance>[] {
  const parts = ['spent', 'credited', 'opening'] as const;
  return [
    { key: 'account', heading: t('balances.column.account'), cell: ({ username }) => username, card: 'title' },
    ...parts.map((name): Column<AccountBalance> => ({
      key: name,
      heading: '',
      cell: (row) => <CardAmount name={name} quota={amountOf(row, name)} />,
      card: 'context',
    })),
    { key: 'closing', heading: t('balances.column.closing'), cell: (row) => <QuotaCell quota={row.closing} />, card: 'amount' },
  ];
}

function CardAmount({ name, quota }: { name: string; quota: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  return t(`balances.card.${name}`, { amount: format.quota(quota) });
}

function Account({ row: { user_id: id, username, display_name: name, is_deleted: isDeleted } }: { row: AccountBalance }) {
  const { t } = useTranslation();
  const facts = [`#${id}`, name === username ? '' : name, isDeleted ? t('balances.deleted') : ''].filter((fact) => fact !== '');
  return (
    <>
      <span>{username}</span> <small className={styles.quiet}>{facts.join(' · ')}</small>
    </>
  );
}
