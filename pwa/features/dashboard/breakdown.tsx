import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { tokensOf } from './chart-steps.ts';
import type { DashboardQuestion } from './dashboard-question.ts';
import { namedLogLink } from './log-link.ts';
import styles from './dashboard.module.css';

interface BreakdownProps {
  figures: UsageFigures;
  question: DashboardQuestion;
  whole: UsageSums;
}

/** Table of the parts that add up to the whole; each name leads to its calls. */
export function Breakdown({ figures, question, whole }: BreakdownProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const title = t(`dashboard.breakdown.${figures.by}`);
  const unit = format.unit === '' ? t('common.quota.name') : format.unit;
  const cells = (sums: UsageSums) => (
    <>
      <td>{format.count(sums.calls)}</td>
      <td>{sums.errors === 0 ? '—' : format.count(sums.errors)}</td>
      <td className={styles.roomy}>{format.countShort(tokensOf(sums))}</td>
      <td>{format.quotaBare(sums.quota)}</td>
    </>
  );
  return (
    <section className={styles.question} aria-label={title}>
      <header className={`${layout.row} ${layout.spread} ${styles.head}`}>
        <h2 className={typography.heading}>{title}</h2>
      </header>
      {figures.totals.length === 0 ? (
        <p className={`${typography.compact} ${typography.secondary}`}>{t('dashboard.none')}</p>
      ) : (
        // It scrolls by itself, so the keyboard has to reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={styles.tableBox} tabIndex={0} role="group" aria-label={title}>
          <table className={`${typography.compact} ${styles.table}`}>
            <thead>
              <tr>
                <th scope="col">{t(`dashboard.by.${figures.by}`)}</th>
                <th scope="col">{t('dashboard.calls.now')}</th>
                <th scope="col">{t('dashboard.failures.now')}</th>
                <th scope="col" className={styles.roomy}>
                  {t('dashboard.tokens.short')}
                </th>
                <th scope="col">{t('dashboard.table.spent', { unit })}</th>
              </tr>
            </thead>
            <tbody>
              {figures.totals.map((one) => (
                <tr key={one.name}>
                  <th scope="row" title={one.label}>
                    <Link to="/log" search={namedLogLink(question, figures, one)}>
                      {one.label === '' ? '—' : one.label}
                    </Link>
                  </th>
                  {cells(one.sums)}
                </tr>
              ))}
              {figures.others.count > 0 && (
                <tr>
                  <th scope="row">{t('dashboard.others', { count: figures.others.count })}</th>
                  {cells(figures.others.sums)}
                </tr>
              )}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{t('dashboard.table.total')}</th>
                {cells(whole)}
              </tr>
            </tfoot>
          </table>
        </div>
      )}
    </section>
  );
}
