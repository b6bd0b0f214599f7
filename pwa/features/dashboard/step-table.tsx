import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import typography from '#pwa/ui/styles/typography.module.css';
import type { ChartStep } from './chart-steps.ts';
import type { LogLink } from './log-link.ts';
import styles from './dashboard.module.css';

interface StepColumn {
  /** Where headings may be alike. */
  key?: string;
  heading: string;
  value: (step: ChartStep) => string;
  /** In the last line. */
  total: string;
}

interface StepTableProps {
  label: string;
  steps: readonly ChartStep[];
  columns: readonly StepColumn[];
  linkOf: (step: ChartStep) => LogLink;
}

/** Rows that are shown without a box that scrolls. */
const mostInSight = 32;

/** The figures behind a picture, newest first; each time leads to its logs. */
export function StepTable({ label, steps, columns, linkOf }: StepTableProps) {
  const { t } = useTranslation();
  return (
    // It scrolls by itself, so the keyboard has to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.tableBox} data-long={steps.length > mostInSight || undefined} tabIndex={0} role="group" aria-label={label}>
      <table className={`${typography.compact} ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">{t('dashboard.table.time')}</th>
            {columns.map((column) => (
              <th key={column.key ?? column.heading} scope="col" title={column.heading}>
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
                {step.isOpen && <span className={typography.muted}> {t('dashboard.table.open')}</span>}
              </th>
              {columns.map((column) => (
                <td key={column.key ?? column.heading}>{column.value(step)}</td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('dashboard.table.total')}</th>
            {columns.map((column) => (
              <td key={column.key ?? column.heading}>{column.total}</td>
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
