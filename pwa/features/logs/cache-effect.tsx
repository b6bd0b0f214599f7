import { useTranslation } from 'react-i18next';
import type { Log, LogOther } from '#shared/logs.ts';
import { cacheSavings } from '#shared/price-display.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import styles from './logs.module.css';

/** What the provider's cache saved of the price of the prompt, and what it should have. */
export function CacheEffect({ log, other }: { log: Log; other: LogOther | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  const saved = other === null ? null : cacheSavings(log, other);
  const expected = other?.cache_expected;
  return (
    <>
      {saved !== null && saved.quota !== 0 && (
        <p className={styles.remark}>
          {t(saved.quota > 0 ? 'receipt.cache_saved' : 'receipt.cache_cost', {
            amount: format.quota(Math.abs(saved.quota)),
            share: format.percent(saved.share),
          })}
        </p>
      )}
      {expected !== undefined && (
        <p className={styles.remark}>
          {t('receipt.cache_broken', { expected: format.count(expected), read: format.count(other?.cache_tokens ?? 0) })}
        </p>
      )}
    </>
  );
}
