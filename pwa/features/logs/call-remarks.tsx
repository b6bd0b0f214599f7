// Reasons why a charge differs from the usual one.
import { useTranslation } from 'react-i18next';
import type { LogOther } from '#shared/logs.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import styles from './logs.module.css';

export function CallRemarks({ other }: { other: LogOther }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { after_leaving: left, input_ratio: factor, output_bound: tokens, uncharged_quota: uncharged, service_tier: tier } = other;
  const { compaction, dropped_fields: dropped = [] } = other;
  const cost = other.admin_info?.cost;
  return (
    <>
      {compaction !== undefined && <p className={styles.remark}>{t(`receipt.compaction.${compaction}`)}</p>}
      {cost !== undefined && (
        <p className={styles.remark}>
          {t('receipt.reported_cost', { reported: format.price(cost.reported), ours: format.price(cost.ours) })}
        </p>
      )}
      {left !== undefined && <p className={styles.remark}>{t(`receipt.after_leaving.${left}`)}</p>}
      {factor !== undefined && <p className={styles.remark}>{t('receipt.long_input', { factor: format.ratio(factor) })}</p>}
      {tier !== undefined && (
        <p className={styles.remark}>{t('receipt.service_tier', { tier, factor: format.ratio(other.tier_ratio ?? 1) })}</p>
      )}
      {tokens !== undefined && <p className={styles.remark}>{t('receipt.output_bound', { tokens: format.count(tokens) })}</p>}
      {dropped.length > 0 && (
        <p className={styles.remark}>{t('receipt.dropped_fields', { count: dropped.length, fields: dropped.join(', ') })}</p>
      )}
      {uncharged !== undefined && <p className={styles.remark}>{t('receipt.uncharged', { quota: format.quota(uncharged) })}</p>}
    </>
  );
}

/** Why there is no receipt. */
export function NoPrices({ other }: { other: LogOther | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  return <p className={styles.remark}>{reason()}</p>;

  function reason(): string {
    const { batch, tuning, context_cache: cache } = other ?? {};
    if (batch !== undefined) return t('receipt.batch', { id: batch.id, requests: format.count(batch.requests) });
    if (cache !== undefined) {
      const facts = { id: cache.id, tokens: format.count(cache.tokens), until: format.dateTime(cache.until) };
      const { price, first_request_id: first } = cache;
      return price === undefined || first === undefined
        ? t('receipt.context_cache', facts)
        : t('receipt.context_cache_extended', { ...facts, price: format.price(price) });
    }
    if (tuning === undefined) return t('receipt.no_prices');
    const { id, examples, epochs, tokens, price } = tuning;
    return t('receipt.tuning', {
      id,
      examples: format.count(examples),
      tokens: format.count(tokens),
      epochs: format.count(epochs),
      price: format.price(price),
    });
  }
}
