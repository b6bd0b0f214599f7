import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { RowsShape } from '#pwa/ui/frame/shapes.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './home-screen.module.css';
import { spendQuery } from './queries.ts';

/** Where this month's spend went. */
export function MonthBlock() {
  const { t } = useTranslation();
  return <SpendBlock title={t('home.month.title')} by="model" isForAll={false} more={<DashboardLink span="month" />} />;
}

interface SpendBlockProps {
  title: string;
  by: 'model' | 'user';
  isForAll: boolean;
  more: ReactNode;
}

/** A small ledger that adds up to the whole. */
export function SpendBlock({ title, by, isForAll, more }: SpendBlockProps) {
  const query = useQuery(spendQuery(by, isForAll));
  const isStale = useConnection() !== 'online';
  return (
    <Block
      title={title}
      aside={
        <span className={`${typography.note} ${styles.aside}`}>
          <AsOf at={query.dataUpdatedAt} isStale={isStale} />
          {more}
        </span>
      }
    >
      <QueryState query={query} what={title} shape={<RowsShape rows={4} />}>
        {(figures) => <Ledger figures={figures} />}
      </QueryState>
    </Block>
  );
}

export function DashboardLink({ span }: { span: 'day' | 'month' }) {
  const { t } = useTranslation();
  return (
    <Link className={styles.link} to="/detail" search={{ span }}>
      {t('home.month.dashboard')}
    </Link>
  );
}

const shownNames = 5;

function Ledger({ figures }: { figures: UsageFigures }) {
  const { t } = useTranslation();
  const format = useFormat();
  const named = figures.totals.slice(0, shownNames);
  const rest = figures.totals.slice(shownNames);
  const count = rest.length + figures.others.count;
  const add = (field: 'calls' | 'quota', list: readonly { sums: UsageSums }[]): number =>
    list.reduce((sum, one) => sum + one.sums[field], 0);
  const others = { calls: add('calls', rest) + figures.others.sums.calls, quota: add('quota', rest) + figures.others.sums.quota };
  const whole = { calls: add('calls', named) + others.calls, quota: add('quota', named) + others.quota };
  if (figures.totals.length === 0) return <p className={styles.none}>{t('home.recent.none')}</p>;
  const cells = ({ calls, quota }: { calls: number; quota: number }) => (
    <>
      <td>{format.count(calls)}</td>
      <td className={styles.share}>{whole.quota === 0 ? '' : format.wholePercent(quota / whole.quota)}</td>
      <td>{format.quotaBare(quota)}</td>
    </>
  );
  return (
    <table className={`${typography.compact} ${styles.table}`}>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{t('home.month.name')}</th>
          <th scope="col">{t('home.today.calls')}</th>
          <th scope="col">{t('home.month.share')}</th>
          <th scope="col">{t('home.today.spent')}</th>
        </tr>
      </thead>
      <tbody>
        {named.map((one) => (
          <tr key={one.name}>
            <th scope="row" title={one.label}>
              {one.label}
            </th>
            {cells(one.sums)}
          </tr>
        ))}
        {count > 0 && (
          <tr>
            <th scope="row">{t('home.month.others', { count })}</th>
            {cells(others)}
          </tr>
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{format.unit === '' ? t('common.quota.name') : format.unit}</th>
          {cells(whole)}
        </tr>
      </tfoot>
    </table>
  );
}
