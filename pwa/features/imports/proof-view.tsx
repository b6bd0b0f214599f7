import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ImportDetails, ImportProof } from '#shared/imports.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { FigureTable } from './figure-table.tsx';
import styles from './imports.module.css';

const columns = ['source', 'here', 'left'] as const;

/** Counts and sums of the source and here, the audit of the books, and the records. */
export function ProofView({ run, proof }: { run: ImportDetails; proof: ImportProof }) {
  const { t } = useTranslation();
  const format = useFormat();
  const headings = columns.map((key) => ({ key, heading: t(`imports.proof.${key}`) }));
  const rowOf = (row: ImportProof['counts'][number], name: string, shown: (value: number) => string) => ({
    key: row.name,
    name,
    cells: { source: shown(row.source), here: shown(row.here), left: shown(row.left) },
    result: (
      <StatusMark status={row.is_equal ? 'on' : 'failed'}>
        {t(row.is_equal ? 'imports.proof.row_equal' : 'imports.proof.row_different')}
      </StatusMark>
    ),
  });
  const money = t('imports.report.money', { unit: format.inCurrency ? format.unit : t('imports.report.quota') });
  return (
    <div className={styles.report}>
      <div>
        <FigureTable
          heading={t('imports.proof.counts')}
          columns={headings}
          resultHeading={t('imports.proof.result')}
          rows={proof.counts.map((row) => rowOf(row, t(`imports.rowkind.${row.name}`), format.count))}
        />
        <FigureTable
          heading={money}
          columns={headings}
          resultHeading={t('imports.proof.result')}
          rows={proof.sums.map((row) => rowOf(row, t(`imports.sum.${row.name}`), format.charge))}
        />
      </div>
      <Books run={run} proof={proof} />
    </div>
  );
}

function Books({ run, proof }: { run: ImportDetails; proof: ImportProof }) {
  const { t } = useTranslation();
  const format = useFormat();
  const checks = [
    {
      isGood: proof.unbalanced === 0,
      text: t('imports.books.audited', { accounts: format.count(proof.accounts), unbalanced: format.count(proof.unbalanced) }),
    },
    {
      isGood: proof.without_opening === 0,
      text: t('imports.books.openings', { openings: format.count(proof.openings), without: format.count(proof.without_opening) }),
    },
    {
      isGood: proof.missing === 0,
      text: t('imports.books.records', { records: format.count(proof.records), missing: format.count(proof.missing) }),
    },
  ];
  const handleSave = (): void =>
    saveText(`import-${run.id}-proof.json`, JSON.stringify({ report: run.report, proof }, null, 2), { type: 'application/json' });
  return (
    <div className={`${layout.stackLg} ${styles.books}`}>
      <h3>{t('imports.books.title')}</h3>
      <ul className={layout.stackSm}>
        {checks.map(({ isGood, text }) => (
          <li key={text}>
            <StatusMark status={isGood ? 'on' : 'failed'}>{text}</StatusMark>
          </li>
        ))}
      </ul>
      <SummaryList
        items={[
          { name: t('imports.books.checked'), value: format.dateTime(proof.checked_at) },
          { name: t('imports.books.by'), value: run.by === '' ? t('imports.kind.command') : run.by },
          { name: 'SHA-256', value: <code className={styles.break}>{proof.checksum}</code> },
        ]}
      />
      <span className={layout.wrap}>
        <Button onClick={handleSave}>{t('imports.action.save_proof')}</Button>
      </span>
    </div>
  );
}
