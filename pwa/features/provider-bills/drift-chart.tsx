import { useTranslation } from 'react-i18next';
import type { DriftReport } from '#shared/provider-bills.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import styles from './bills.module.css';
import { difference, dollars } from './dollars.ts';

const height = 120;
/** Of a day, in units of the picture. */
const step = 24;
const bar = 9;

/** Two bars for each day. Its figures are in the table by day. */
export function DriftChart({ days }: { days: DriftReport['days'] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const values = days.map(({ day, ours, billed }) => ({
    day,
    ours: Math.max(0, Number(ours)),
    billed: Math.max(0, Number(billed ?? 0)),
    text: { ours, billed },
  }));
  const most = Math.max(...values.flatMap(({ ours, billed }) => [ours, billed]), Number.MIN_VALUE);
  const sizeOf = (value: number): number => (value === 0 ? 0 : Math.max(1, (value / most) * (height - 4)));
  const titleOf = ({ day, text }: (typeof values)[number]): string =>
    `${format.calendarDay(day)}: ${t('bills.column.ours')} ${dollars(text.ours, format)}, ${t('bills.column.billed')} ${dollars(text.billed, format)}${
      text.billed === undefined ? '' : `, ${difference(String(Number(text.billed) - Number(text.ours)), format)}`
    }`;
  const [first, last] = [days[0], days.at(-1)].map((one) => format.calendarDay(one?.day ?? ''));
  return (
    <figure className={styles.chart}>
      <figcaption>
        <span data-series="ours">{t('bills.column.ours')}</span>
        <span data-series="billed">{t('bills.column.billed')}</span>
        <span className={styles.most}>{t('bills.chart.most', { amount: dollars(String(most), format) })}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${values.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('bills.chart.label', { first, last })}
      >
        {values.map((value, index) => (
          <g key={value.day}>
            <title>{titleOf(value)}</title>
            <rect className={styles.hit} x={index * step} y={0} width={step} height={height} />
            <rect data-series="ours" x={index * step + 2} y={height - sizeOf(value.ours)} width={bar} height={sizeOf(value.ours)} />
            <rect
              data-series="billed"
              x={index * step + 3 + bar}
              y={height - sizeOf(value.billed)}
              width={bar}
              height={sizeOf(value.billed)}
            />
          </g>
        ))}
      </svg>
      <div className={styles.ends} aria-hidden>
        <span>{first}</span>
        <span>{last}</span>
      </div>
    </figure>
  );
}
