// How long a balance lasts, by the pace of the last week.
import { useTranslation } from 'react-i18next';

const day = 86_400;

/** In days; a new account has not had seven. Undefined when nothing was spent or nothing is left. */
export function daysLeft(balance: number, spent: number, createdAt: number): number | undefined {
  if (spent <= 0 || balance <= 0) return undefined;
  const days = Math.min(7, Math.max(1, (Date.now() / 1000 - createdAt) / day));
  return (balance / spent) * days;
}

/** In days while that says something: from a year on the pace of a week is no forecast. */
export function useLastsText(): (days: number) => string {
  const { t } = useTranslation();
  return (days) => {
    if (days > 365) return t('wallet.balance.more_than_a_year');
    return days >= 1 ? t('wallet.balance.days', { count: Math.floor(days) }) : t('wallet.balance.less_than_a_day');
  };
}
