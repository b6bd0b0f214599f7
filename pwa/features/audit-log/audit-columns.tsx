import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { AuditChangeText } from '#pwa/records/audit/audit-changes.tsx';
import { useAuditWords } from '#pwa/records/audit/use-audit-words.ts';
import type { AuditRow } from './audit-rows.ts';
import styles from './audit-log.module.css';

export const columnsKey = 'audit-log-table-columns';

export function auditColumns(t: TFunction): Column<AuditRow>[] {
  return [
    { key: 'time', heading: t('audit.column.time'), cell: (row) => <Time row={row} />, width: 88, card: 'amount', isLocked: true },
    {
      key: 'who',
      heading: t('audit.column.who'),
      cell: (row) => <Who row={row} />,
      width: 132,
      comfort: { width: 172, leave: 6 },
      card: 'context',
    },
    {
      key: 'kind',
      heading: t('audit.column.kind'),
      cell: (row) => <Kind row={row} />,
      width: 92,
      comfort: { width: 104, leave: 5 },
      leave: 3,
      card: 'context',
    },
    {
      key: 'record',
      heading: t('audit.column.record'),
      cell: (row) => <RecordName row={row} />,
      width: 140,
      comfort: { width: 196, leave: 6 },
      card: 'title',
      isLocked: true,
    },
    {
      key: 'action',
      heading: t('audit.column.action'),
      cell: (row) => <Action row={row} />,
      width: 104,
      comfort: { width: 152, leave: 5 },
      leave: 2,
      card: 'context',
    },
    { key: 'change', heading: t('audit.column.change'), cell: (row) => <Change row={row} />, least: 160, card: 'note', isLocked: true },
    {
      key: 'from',
      heading: t('audit.column.from'),
      cell: (row) => <span className={typography.muted}>{row.entry.ip}</span>,
      width: 132,
      align: 'end',
      leave: 4,
    },
  ];
}

function Time({ row: { entry } }: { row: AuditRow }) {
  return <>{useFormat().time(Math.floor(entry.at / 1000))}</>;
}

function Who({ row: { entry } }: { row: AuditRow }) {
  const { name, note } = useAuditWords().who(entry);
  return (
    <>
      {name}
      {note !== '' && <span className={typography.muted}> {note}</span>}
    </>
  );
}

function Kind({ row: { entry } }: { row: AuditRow }) {
  return <span className={typography.muted}>{useAuditWords().kind(entry)}</span>;
}

function RecordName({ row: { entry, others } }: { row: AuditRow }) {
  const { t } = useTranslation();
  const name = useAuditWords().record(entry);
  return others.length === 0 ? name : t('audit.record_others', { name, count: others.length });
}

function Action({ row: { entry } }: { row: AuditRow }) {
  return <span className={typography.secondary}>{useAuditWords().action(entry)}</span>;
}

/** First difference; the panel has all of them. */
function Change({ row: { entry } }: { row: AuditRow }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  // Of a new object, its name stands next to it already.
  const first = entry.changes.find(({ after }) => entry.action !== 'created' || after !== entry.name) ?? entry.changes[0];
  const others = entry.changes.length - 1 + entry.more;
  if (first === undefined) return entry.reason === '' ? null : <span className={typography.muted}>{entry.reason}</span>;
  return (
    <span className={isPhone ? undefined : `${styles.change} ${typography.ellipsis}`}>
      <AuditChangeText entry={entry} change={first} />
      {others > 0 && <span className={styles.others}> {t('audit.more', { count: others })}</span>}
    </span>
  );
}
