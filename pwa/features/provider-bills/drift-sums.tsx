import { useTranslation } from 'react-i18next';
import type { BillOverview, DriftReport } from '#shared/provider-bills.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './bills.module.css';
import { difference, dollars } from './dollars.ts';

/** Sums of a period, and since when calls are counted. */
export function DriftSums({ report, overview }: { report: DriftReport; overview: BillOverview | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { ours, billed, percent } = report;
  const isBeyond =
    overview !== undefined &&
    overview.alert_percent > 0 &&
    Math.abs(percent ?? (Number(billed) > 0 ? Number.POSITIVE_INFINITY : 0)) > overview.alert_percent &&
    Math.abs(Number(report.difference)) >= overview.alert_usd;
  const figures = [
    { name: t('bills.column.ours'), value: dollars(ours, format) },
    { name: t('bills.column.billed'), value: dollars(billed, format) },
    { name: t('bills.column.difference'), value: difference(report.difference, format) },
  ];
  return (
    <div className={`${layout.baseline} ${styles.sums}`}>
      <dl className={styles.figures}>
        {figures.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {report.days.length > 0 && (
        <StatusMark status={isBeyond ? 'look' : 'on'} strong={isBeyond}>
          {percent === undefined
            ? t(isBeyond ? 'bills.sum.beyond_plain' : 'bills.sum.within_plain')
            : t(isBeyond ? 'bills.sum.beyond' : 'bills.sum.within', { percent: format.ratio(Math.abs(percent)) })}
        </StatusMark>
      )}
      {overview?.counted_from !== undefined && <small>{t('bills.sum.counted', { day: format.date(overview.counted_from) })}</small>}
    </div>
  );
}
