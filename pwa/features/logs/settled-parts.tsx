// Contents of rows about prepaid work at a provider: the row of the order, and the row of its settlement.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { AddsUp, Receipt } from '#pwa/ui/billing/receipt.tsx';
import { receiptSums } from '#pwa/ui/billing/receipt-sums.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { PanelSection } from '#pwa/ui/frame/side-panel.tsx';
import { isSettled, receiptOfEvent, type SettledEvent } from './event-receipt.ts';
import { rowsOfRequestQuery } from './queries.ts';
import { RowLink } from './row-link.tsx';
import styles from './logs.module.css';

export function SettledReceipt({ log, event }: { log: Log; event: SettledEvent }) {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  const receipt = receiptOfEvent(event, {
    part: (name) => (i18n.exists(`receipt.part.${name}`) ? t(`receipt.part.${name}`) : name),
    kept: (bytes, seconds) =>
      t('receipt.kept', {
        megabytes: format.ratio(Number((bytes / 2 ** 20).toPrecision(3))),
        hours: format.ratio(Number((seconds / 3600).toPrecision(3))),
      }),
    perDay: (price) => t('receipt.per_day', { price: format.price(price) }),
    group: () => t('receipt.part.group', { name: log.group }),
    quotaPerUnit: format.quotaPerUnit,
  });
  if (receipt === null) return null;
  const stepsPerUnit = format.inCurrency ? 1_000_000 / format.quotaPerUnit : 100;
  const { difference } = receiptSums({ ...receipt, quotaPerUnit: format.quotaPerUnit, stepsPerUnit });
  const isEstimated = receipt.lines.some(({ source }) => source === 'estimated');
  const tier = event.code === 'store_day' || event.code === 'cache_ended' ? undefined : event.tier_ratio;
  return (
    <>
      <Receipt {...receipt} {...(isEstimated ? { why: { text: t('receipt.why.trained_estimated'), source: 'estimated' as const } } : {})} />
      {receipt.lines.length > 0 && difference === 0 && <AddsUp />}
      {tier !== undefined && <p className={styles.remark}>{t('receipt.batch_prices', { factor: format.ratio(tier) })}</p>}
      {event.code !== 'store_day' && event.order !== undefined && (
        <p className={styles.remark}>
          {t(event.amount < 0 ? 'receipt.order_beyond' : 'receipt.order_rest', { amount: format.quotaExact(Math.abs(event.amount)) })}{' '}
          <RowLink id={event.order}>{t('receipt.order_row')}</RowLink>
        </p>
      )}
    </>
  );
}

/** What the order came to, or that it is not known yet. */
export function OrderResult({ log, isAdmin }: { log: Log; isAdmin: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  // The final cost of a cache is shown with its creation.
  const query = useQuery(rowsOfRequestQuery(isAdmin, otherOf(log)?.context_cache?.first_request_id ?? log.request_id));
  return (
    <PanelSection title={t('receipt.result.title')}>
      <QueryState query={query} what={t('receipt.result.title')} lines={1}>
        {(rows) => {
          const row = rows.find((one) => isSettled(otherOf(one)?.event));
          const event = row === undefined ? undefined : otherOf(row)?.event;
          if (row === undefined || !isSettled(event) || event.code === 'store_day')
            return <p className={styles.remark}>{t('receipt.result.none')}</p>;
          const amounts = { cost: format.quotaExact(event.cost), amount: format.quotaExact(Math.abs(event.amount)) };
          return (
            <p className={styles.remark}>
              {t(event.amount < 0 ? 'receipt.result.beyond' : 'receipt.result.rest', amounts)}{' '}
              <RowLink id={row.id}>{t('receipt.result.row')}</RowLink>
            </p>
          );
        }}
      </QueryState>
    </PanelSection>
  );
}
