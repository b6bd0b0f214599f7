import { useTranslation } from 'react-i18next';
import type { ChannelKey } from '#shared/channel-keys.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import styles from './channel-keys.module.css';

/** Hours that the strip shows. */
const shown = 12;
const step = 6;
const height = 24;
const line = 16;

/** Calls of the last twelve hours above the line, failures below it. */
export function KeyStrip({ of: { hours, calls, failures } }: { of: Pick<ChannelKey, 'hours' | 'calls' | 'failures'> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const last = hours.slice(-shown);
  const most = Math.max(1, ...last.map(([made]) => made));
  const label = t('channel-keys.strip', { calls: format.count(calls), failures: format.count(failures) });
  return (
    <svg
      className={styles.strip}
      width={shown * step}
      height={height}
      viewBox={`0 0 ${shown * step} ${height}`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {last.map(([made, failed], hour) => {
        const x = hour * step;
        const above = made - failed <= 0 ? 0 : Math.max(2, Math.round(((made - failed) / most) * (line - 1)));
        const below = failed === 0 ? 0 : Math.max(3, Math.round((failed / most) * (height - line - 1)));
        return [
          above > 0 && <rect key={`ok-${x}`} className={styles.ok} x={x} y={line - above} width={step - 2} height={above} />,
          below > 0 && <rect key={`bad-${x}`} className={styles.bad} x={x} y={line + 1} width={step - 2} height={below} />,
        ];
      })}
    </svg>
  );
}
