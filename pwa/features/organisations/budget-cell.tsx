import { useTranslation } from 'react-i18next';
import type { Member } from '#shared/organisations.ts';
import { LimitLevel } from '#pwa/records/limits/limit-level.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { monthBudgetOf } from './month-budget.ts';
import styles from './organisations.module.css';

interface BudgetCellProps {
  /** Of whom: names the level. */
  name: string;
  of: Pick<Member, 'budgets' | 'used_quota'>;
}

/** What is left of the monthly budget that binds first; of other periods, and without the right to usage, what is granted. Nothing if that is unknown. */
export function BudgetCell({ name, of }: BudgetCellProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const month = monthBudgetOf(of, Date.now());
  if (of.budgets === undefined) return null;
  const [first] = of.budgets;
  if (month !== undefined) {
    return (
      <LimitLevel
        size="row"
        name={isPhone ? t('limits.period.month') : ''}
        label={t('organisations.members.budget_of', { name })}
        left={format.quotaBare(month.left)}
        of={t('limits.of', { amount: format.quotaBare(month.budget.amount) })}
        standing={month.standing}
      />
    );
  }
  if (first !== undefined) {
    return (
      <span className={styles.end}>
        {t('organisations.members.granted', { amount: format.quotaBare(first.amount) })}{' '}
        <span className={typography.muted}>{t(`limits.every.${first.period}`)}</span>
      </span>
    );
  }
  return isPhone ? null : <span className={`${typography.muted} ${styles.end}`}>{t('organisations.members.no_budget')}</span>;
}
