import { useTranslation } from 'react-i18next';
import type { Member } from '#shared/organisations.ts';
import { LimitLevel } from '#pwa/records/limits/limit-level.tsx';
import { useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { monthBudgetOf } from './month-budget.ts';

interface MonthStandingProps {
  name: string;
  of: Pick<Member, 'budgets' | 'used_quota'>;
}

/** What is left of the monthly budget, at the head of a panel; nothing without one. */
export function MonthStanding({ name, of }: MonthStandingProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useLimitWords();
  const now = Date.now();
  const month = monthBudgetOf(of, now);
  if (month === undefined) return null;
  const { budget, left, standing } = month;
  return (
    <LimitLevel
      name={t('organisations.month.budget', { month: format.month(now / 1000) })}
      label={t('organisations.members.budget_of', { name })}
      left={format.quota(left)}
      of={t('limits.of', { amount: format.quota(budget.amount) })}
      standing={standing}
      begin={words.empties(standing, now / 1000)}
      end={t(`limits.end.${budget.at_end}`)}
    />
  );
}
