import { useTranslation } from 'react-i18next';
import type { Token } from '#shared/tokens.ts';
import { tightestStanding } from '#pwa/records/limits/budget-standing.ts';
import { LimitLevel } from '#pwa/records/limits/limit-level.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';

/** What is left of the token's tightest budget; on a card only if that is little. */
export function TightestBudget({ token: { tightest_budget: budget } }: { token: Token }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  if (budget === undefined) return null;
  const name = t(`limits.period.${budget.period}`);
  const standing = tightestStanding(budget, Date.now() / 1000);
  if (isPhone) {
    return (
      <StatusMark status={standing.level === 'low' ? 'look' : 'empty'}>{t(`limits.level.${standing.level}_named`, { name })}</StatusMark>
    );
  }
  return (
    <LimitLevel
      size="row"
      name={name}
      label={t('limits.standing.label', { name })}
      left={format.quotaBare(budget.left)}
      of={t('limits.of', { amount: format.quotaBare(budget.amount) })}
      standing={standing}
    />
  );
}
