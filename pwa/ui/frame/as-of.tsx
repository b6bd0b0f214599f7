import { useTranslation } from 'react-i18next';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './as-of.module.css';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';

const freshTime = 60_000;

/**
 * `as of 14:29` at a block's top right, once what it shows comes from the cache (`isStale`: there is no connection) or is
 * older than a minute. `at` is in milliseconds (a query's `dataUpdatedAt`); 0: nothing is shown yet.
 */
export function AsOf({ at, isStale = false }: { at: number; isStale?: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = Date.now();
  if (at === 0 || (!isStale && now - at < freshTime)) return null;
  const seconds = Math.floor(at / 1000);
  const isToday = format.dayKey(seconds) === format.dayKey(now / 1000);
  const time = isToday ? format.clock(seconds) : `${format.date(seconds)} ${format.clock(seconds)}`;
  return (
    <span className={`${typography.note} ${styles.age}`}>
      <Glyph name="clock" />
      {t('common.freshness.as_of', { time })}
    </span>
  );
}
