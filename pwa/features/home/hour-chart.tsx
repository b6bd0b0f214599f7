import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { roundTicks } from '#pwa/ui/billing/round-ticks.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './hour-chart.module.css';
import type { TodayHour } from './today.ts';

interface HourChartProps {
  /** What the picture shows, read aloud. */
  label: string;
  hours: readonly TodayHour[];
  value: (sums: NonNullable<TodayHour['today']>) => number;
  format: (value: number) => string;
  /** What one of the shown units is in the values; 1 unless said. */
  unit?: number;
  /** Failures hang below the line. */
  hasFailures?: boolean;
}

const height = 108;
const band = 22;

/** 24 places from midnight: bars are today, ticks are yesterday, the hour that is not over is hatched. */
export function HourChart({ label, hours, value, format, unit = 1, hasFailures = false }: HourChartProps) {
  const { t } = useTranslation();
  const { clock } = useFormat();
  const most = Math.max(0, ...hours.flatMap((hour) => [value(hour.yesterday), hour.today === undefined ? 0 : value(hour.today)]));
  // The upper line is a round number.
  const largest = roundTicks(most, { unit }).at(-1) ?? 1;
  const mostErrors = Math.max(1, ...hours.map((hour) => hour.today?.errors ?? 0));
  const width = 24;
  const share = (amount: number): number => (amount === 0 ? 0 : Math.max(2, (amount / largest) * (height - 8)));
  return (
    <figure className={styles.figure}>
      {/* Without a bar the line has no height to announce. */}
      <span className={`${typography.note} ${styles.top}`}>{most === 0 ? '\u00a0' : format(largest)}</span>
      <svg
        className={styles.chart}
        viewBox={`0 0 ${hours.length * width} ${height + (hasFailures ? band : 2)}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <defs>
          <pattern id="hour-hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path d="M0 0v4" stroke="var(--sheet)" strokeWidth="1.6" />
          </pattern>
        </defs>
        <path d={`M0 8.500H${hours.length * width}M0 ${height / 2}H${hours.length * width}`} className={styles.grid} />
        {hours.map((hour, index) => {
          const size = hour.today === undefined ? 0 : share(value(hour.today));
          const before = value(hour.yesterday);
          const errors = hour.today?.errors ?? 0;
          const x = index * width;
          return (
            <g key={hour.start}>
              {size > 0 && <rect x={x + 4} y={height - size} width={width - 8} height={size} className={styles.bar} />}
              {size > 0 && hour.isNow && <rect x={x + 4} y={height - size} width={width - 8} height={size} fill="url(#hour-hatch)" />}
              {before > 0 && <path d={`M${x + 2} ${height - share(before)}h${width - 4}`} className={styles.tick} />}
              {hasFailures && errors > 0 && (
                <rect
                  x={x + 4}
                  y={height + 2}
                  width={width - 8}
                  height={Math.max(3, (errors / mostErrors) * (band - 4))}
                  className={styles.failed}
                />
              )}
            </g>
          );
        })}
        <path d={`M0 ${height}H${hours.length * width}`} className={styles.base} />
      </svg>
      <figcaption className={styles.axis} aria-hidden>
        {hours
          .filter((_, index) => index % 6 === 0)
          .map((hour) => (
            <span key={hour.start}>{clock(hour.start)}</span>
          ))}
        <span className="visually-hidden">{t('home.today.title')}</span>
      </figcaption>
    </figure>
  );
}
