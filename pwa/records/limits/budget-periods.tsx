import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetPeriod, BudgetState } from '#shared/budget-states.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './limits.module.css';
import { budgetPeriodsQuery, periodStep } from './queries.ts';

/** Periods of a budget until now; requested when it is opened. */
export function BudgetPeriods({ state }: { state: BudgetState }) {
  const { t } = useTranslation();
  return (
    <div className={styles.more}>
      <Fold title={t('limits.periods.title')}>{() => <PeriodTable budgetKey={state.key} isLong={isLong(state)} />}</Fold>
    </div>
  );
}

function PeriodTable({ budgetKey, isLong: isByDate }: { budgetKey: string; isLong: boolean }) {
  const { t } = useTranslation();
  const [size, setSize] = useState(periodStep);
  const query = useQuery(budgetPeriodsQuery(budgetKey, size));
  return (
    <QueryState query={query} what={t('limits.periods.title')} lines={3}>
      {({ items, total }) =>
        items.length === 0 ? (
          <p className={typography.muted}>{t('limits.periods.none')}</p>
        ) : (
          <>
            <table className={`${typography.compact} ${styles.periods}`}>
              <thead>
                <tr>
                  <th scope="col">{t('limits.periods.period')}</th>
                  <th scope="col">{t('limits.periods.used')}</th>
                  <th scope="col">{t('limits.periods.calls')}</th>
                  <th scope="col">{t('limits.periods.refused')}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((period) => (
                  <PeriodRow key={period.id} period={period} isByDate={isByDate} />
                ))}
              </tbody>
            </table>
            {total > items.length && (
              <Button variant="subtle" className={styles.periodsMore} onClick={() => setSize(size + 2 * periodStep)}>
                {t('limits.periods.more')}
              </Button>
            )}
          </>
        )
      }
    </QueryState>
  );
}

function PeriodRow({ period, isByDate }: { period: BudgetPeriod; isByDate: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { used, amount } = period;
  const style: CSSProperties & Record<'--share', string> = { '--share': `${Math.min(100, (used / amount) * 100)}%` };
  return (
    <tr>
      <td>{isByDate ? format.day(period.starts_at) : `${format.day(period.starts_at)} ${format.clock(period.starts_at)}`}</td>
      <td>
        {format.quota(used)} <span className={typography.muted}>{t('limits.of', { amount: format.quota(amount) })}</span>
        <span className={styles.spent} style={style} data-full={used >= amount || undefined} aria-hidden="true">
          <i />
        </span>
      </td>
      <td>{format.count(period.calls)}</td>
      <td>{period.refused === 0 ? <span className={typography.muted}>0</span> : format.count(period.refused)}</td>
    </tr>
  );
}

/** Whether the date alone names a period. */
function isLong({ budget: { period, starts } }: BudgetState): boolean {
  return period !== 'five_hours' && starts === 'calendar';
}
