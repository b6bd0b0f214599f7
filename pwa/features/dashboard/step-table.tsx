import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ChartStep } from './chart-steps.ts';
import type { LogLink } from './log-link.ts';
import styles from './dashboard.module.css';

interface StepColumn {
  heading: string;
  value: (step: ChartStep) => string;
}

interface StepTableProps {
  label: string;
  steps: readonly ChartStep[];
  columns: readonly StepColumn[];
  /** The last line. */
  total: readonly string[];
  linkOf: (step: ChartStep) => LogLink;
}

/** The figures behind a picture, newest first; each time leads to its logs. */
export function StepTable({ label, steps, columns, total, linkOf }: StepTableProps) {
  const { t } = useTranslation();
  return (
    // It scrolls by itself, so the keyboard has to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.tableBox} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('dashboard.table.time')}</th>
            {columns.map((column) => (
              <th key={column.heading} scope="col">
                {column.heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.toReversed().map((step) => (
            <tr key={step.start}>
              <th scope="row">
                <Link to="/log" search={linkOf(step)}>
                  {step.name}
                </Link>
                {step.isOpen && <span className={styles.open}> {t('dashboard.table.open')}</span>}
              </th>
              {columns.map((column) => (
                <td key={column.heading}>{column.value(step)}</td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('dashboard.table.total')}</th>
            {total.map((text, index) => (
              <td key={index}>{text}</td>
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
