import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { importReasonText } from '#shared/import-reasons.ts';
import type { ImportNote, ImportReport } from '#shared/imports.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { currentLanguage } from '#pwa/i18n/setup.ts';
import { FigureTable } from './figure-table.tsx';
import styles from './imports.module.css';

interface ReportViewProps {
  report: ImportReport;
  /** Name of the file that it is saved as. */
  name: string;
  isFolded?: boolean;
}

/** Rows and money of an import, and what is left out or changed, with the reasons. */
export function ReportView({ report, name, isFolded = false }: ReportViewProps) {
  const { t } = useTranslation();
  if (isFolded) {
    return (
      <div className={styles.folded}>
        <Fold title={t('imports.report.title')}>{() => <Report report={report} name={name} />}</Fold>
      </div>
    );
  }
  return <Report report={report} name={name} />;
}

function Report({ report, name }: Pick<ReportViewProps, 'report' | 'name'>) {
  return (
    <div className={styles.report}>
      <div>
        <Counts report={report} />
        <Money report={report} />
      </div>
      <Notes report={report} name={name} />
    </div>
  );
}

const countColumns = ['source', 'added', 'changed', 'same', 'left'] as const;

function Counts({ report: { counts } }: { report: ImportReport }) {
  const { t } = useTranslation();
  const format = useFormat();
  const rows = counts.filter(({ source }) => source > 0);
  const cellsOf = (valueOf: (column: (typeof countColumns)[number]) => number) =>
    Object.fromEntries(countColumns.map((column) => [column, format.count(valueOf(column))]));
  return (
    <FigureTable
      heading={t('imports.report.what')}
      columns={countColumns.map((key) => ({ key, heading: t(`imports.report.${key}`) }))}
      rows={[
        ...rows.map((row) => ({ key: row.kind, name: t(`imports.rowkind.${row.kind}`), cells: cellsOf((column) => row[column]) })),
        {
          key: 'sum',
          name: t('imports.report.rows'),
          cells: cellsOf((column) => rows.reduce((sum, row) => sum + row[column], 0)),
          isSum: true,
        },
      ]}
    />
  );
}

const moneyColumns = ['source', 'here', 'left', 'deleted'] as const;

function Money({ report: { money } }: { report: ImportReport }) {
  const { t } = useTranslation();
  const format = useFormat();
  const rows = money.filter((row) => row.source !== 0 || row.deleted !== 0);
  if (rows.length === 0) return null;
  return (
    <FigureTable
      heading={t('imports.report.money', { unit: format.inCurrency ? format.unit : t('imports.report.quota') })}
      columns={moneyColumns.map((key) => ({ key, heading: t(`imports.money.${key}`) }))}
      rows={rows.map((row) => ({
        key: row.name,
        name: t(`imports.sum.${row.name}`),
        cells: Object.fromEntries(moneyColumns.map((column) => [column, format.charge(row[column])])),
      }))}
    />
  );
}

const effects = ['conflict', 'left', 'changed'] as const;
type Effect = (typeof effects)[number];

/** Remarks of one effect at a time: the first that has any. */
function Notes({ report, name }: { report: ImportReport; name: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const rowsOf = (effect: Effect) => report.notes.filter((note) => note.effect === effect).reduce((sum, note) => sum + note.rows, 0);
  const shown = effects.filter((effect) => rowsOf(effect) > 0);
  const [chosen, setChosen] = useState<Effect>();
  const effect = chosen ?? shown[0];
  return (
    <div className={styles.notes}>
      <span className={`${layout.wrap} ${layout.spread} ${styles.notesHead}`}>
        {shown.length === 0 ? (
          <span className={typography.secondary}>{t('imports.report.no_notes')}</span>
        ) : (
          <Segments
            label={t('imports.report.notes')}
            value={effect}
            options={shown.map((one) => ({ value: one, label: t(`imports.effect.${one}`, { rows: format.count(rowsOf(one)) }) }))}
            onChange={setChosen}
          />
        )}
        <Button variant="subtle" onClick={() => saveText(`${name}.json`, JSON.stringify(report, null, 2), { type: 'application/json' })}>
          {t('imports.action.save')}
        </Button>
      </span>
      <ul className={styles.noteList}>
        {report.notes
          .filter((note) => note.effect === effect)
          .map((note) => (
            <NoteLine key={`${note.kind} ${note.reason} ${note.detail}`} note={note} />
          ))}
      </ul>
      {report.more_notes > 0 && <p className={typography.note}>{t('imports.report.more', { notes: report.more_notes })}</p>}
    </div>
  );
}

const namesShown = 3;

function NoteLine({ note }: { note: ImportNote }) {
  const { t } = useTranslation();
  const format = useFormat();
  const names = note.names.filter((name) => name !== '');
  const listed = names.slice(0, namesShown).join(t('imports.note.comma'));
  const more = note.rows - Math.min(names.length, namesShown);
  return (
    <li>
      <span className={styles.noteName}>
        <span>{more > 0 && names.length > 0 ? t('imports.note.names_more', { names: listed, rows: format.count(more) }) : listed}</span>
        <span className={typography.muted}>{t(`imports.rowkind.${note.kind}`)}</span>
      </span>
      <span className={styles.noteReason}>{importReasonText(note, currentLanguage() === 'en' ? 'en' : 'zh')}</span>
      <span className={styles.noteFigures}>
        {format.count(note.rows)}
        {note.quota !== 0 && <span>{format.quotaExact(note.quota)}</span>}
      </span>
    </li>
  );
}
