import { useTranslation } from 'react-i18next';
import type { Log } from '#shared/logs.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import { sizeOf } from './log-summary.ts';
import styles from './logs.module.css';

/** Size of a call, next to its model. */
export function CallSize({ log }: { log: Log }) {
  const { t } = useTranslation();
  const format = useFormat();
  const size = sizeOf(log, {
    pictures: (count) => t('logs.size.pictures', { count }),
    duration: format.duration,
    characters: (count) => t('logs.size.characters', { count }),
    seconds: (count) => t('logs.size.seconds', { count }),
    compaction: () => t('logs.size.compaction'),
    requests: (count) => t('logs.size.requests', { count }),
    examples: (count) => t('logs.size.examples', { count }),
  });
  return size === undefined ? null : <span className={`${typography.ellipsis} ${styles.said}`}>{size}</span>;
}
