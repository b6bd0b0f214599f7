import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './dashboard.module.css';

interface QuestionBlockProps {
  /** One question, and its answer. */
  title: string;
  answer: ReactNode;
  /** Remark next to the figure. */
  remark?: ReactNode;
  chart: ReactNode;
  table: ReactNode;
  /** Next to or below the chart. */
  aside?: ReactNode;
  /** A table of many columns takes the width of two questions. */
  isTableWide?: boolean;
  /** What the chart draws and what each came to, above it: a bar stands there as a square. */
  legend?: readonly LegendLine[];
}

export interface LegendLine {
  label: string;
  color: string;
  shape: 'bar' | 'line' | 'dashed';
  value: string;
}

/** One question of the dashboard: a number, a picture, and the same as a table. */
export function QuestionBlock({ title, answer, remark, chart, table, aside, legend, isTableWide = false }: QuestionBlockProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<'chart' | 'table'>('chart');
  return (
    <section className={styles.question} aria-label={title} data-wide={(isTableWide && shown === 'table') || undefined}>
      <header className={`${layout.row} ${layout.spread} ${styles.head}`}>
        <h2 className={typography.heading}>{title}</h2>
        <Segments
          label={t('dashboard.shown.label')}
          value={shown}
          options={[
            { value: 'chart', label: t('dashboard.shown.chart') },
            { value: 'table', label: t('dashboard.shown.table') },
          ]}
          onChange={setShown}
        />
      </header>
      <p className={`${layout.baseline} ${styles.answer}`}>
        <b className={styles.figure}>{answer}</b>
        {remark !== undefined && <span className={`${typography.compact} ${typography.secondary}`}>{remark}</span>}
      </p>
      {shown === 'table' ? (
        table
      ) : (
        <>
          {legend === undefined ? (
            <div className={styles.lines} />
          ) : (
            <dl className={styles.lines}>
              {legend.map((line) => (
                <div key={line.label}>
                  <dt>
                    <i data-shape={line.shape} style={{ borderColor: line.color }} />
                    {line.label}
                  </dt>
                  <dd>{line.value}</dd>
                </div>
              ))}
            </dl>
          )}
          <div className={styles.picture} data-aside={aside !== undefined || undefined}>
            {chart}
            {aside}
          </div>
        </>
      )}
    </section>
  );
}
