import { useTranslation } from 'react-i18next';
import type { BillAccount } from '#shared/bill-accounts.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** How the usage API is doing, or that there is none. */
export function FetchMark({ account: { fetch, has_key: hasKey } }: { account: BillAccount }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!hasKey || fetch === undefined) return <StatusMark status="off">{t('bills.fetch.off')}</StatusMark>;
  if (fetch.failure !== undefined) return <StatusMark status="failed">{t(`bills.fetch.${fetch.failure.code}`)}</StatusMark>;
  if (fetch.done_at === undefined) return <StatusMark status="queued">{t('bills.fetch.waiting')}</StatusMark>;
  return <StatusMark status="on">{t('bills.fetch.done', { time: format.dateTime(fetch.done_at) })}</StatusMark>;
}
