import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '#shared/audit-log.ts';
import { AuditChanges } from '#pwa/records/audit/audit-changes.tsx';
import { RecordHistory } from '#pwa/records/audit/record-history.tsx';
import { useAuditWords } from '#pwa/records/audit/use-audit-words.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { PanelSection, SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { AuditRow } from './audit-rows.ts';
import styles from './audit-log.module.css';

interface AuditPanelProps {
  row: AuditRow;
  tab: 'change' | 'history';
  onTab: (tab: 'change' | 'history') => void;
  onObject: (object: string) => void;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** One entry with its difference, or the history of its object. */
export function AuditPanel({ row: { entry, others }, tab, onTab, onObject, ...ways }: AuditPanelProps) {
  const { t } = useTranslation();
  const words = useAuditWords();
  // An entry about no single object has no history.
  const hasHistory = entry.object_id !== '' && others.length === 0;
  return (
    <SidePanel
      {...ways}
      title={words.record(entry)}
      note={`${words.kind(entry)}${/^\d+$/.test(entry.object_id) ? ` #${entry.object_id}` : ''}`}
      foot={<p className={`${styles.foot} ${typography.note}`}>{t('audit.foot')}</p>}
    >
      <div className={`${styles.tabs} ${layout.spread}`}>
        {hasHistory ? (
          <Segments
            label={t('audit.title')}
            value={tab}
            options={[
              { value: 'change', label: t('audit.tab.change') },
              { value: 'history', label: t('audit.tab.history') },
            ]}
            onChange={onTab}
          />
        ) : (
          <span />
        )}
        <RecordLink entry={entry} />
      </div>
      {hasHistory && tab === 'history' ? (
        <RecordHistory object={entry.object} />
      ) : (
        <Change entry={entry} others={others} onObject={onObject} />
      )}
    </SidePanel>
  );
}

function Change({ entry, others, onObject }: { entry: AuditEntry; others: readonly AuditEntry[]; onObject: (object: string) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useAuditWords();
  const { name, note } = words.who(entry);
  const job = entry.actor.by === 'job' && entry.actor.name !== '' ? entry.actor.name : '';
  const facts: { name: string; value: ReactNode }[] = [
    { name: t('audit.column.who'), value: [name, note].filter((part) => part !== '').join(' · ') },
    { name: t('audit.fact.job'), value: job },
    { name: t('audit.column.time'), value: format.dateTime(Math.floor(entry.at / 1000)) },
    { name: t('audit.fact.last'), value: entry.count > 1 ? format.dateTime(Math.floor(entry.last_at / 1000)) : '' },
    { name: t('audit.column.from'), value: entry.ip },
    { name: t('audit.fact.program'), value: entry.user_agent },
    {
      name: t('audit.fact.request'),
      value: entry.request_id === '' ? '' : <CopyText mono text={entry.request_id} label={t('audit.fact.copy_request')} />,
    },
  ];
  return (
    <>
      <div className={styles.head}>
        <h3>{words.action(entry)}</h3>
        <AuditChanges entry={entry} />
        {entry.changes.length === 0 && entry.reason === '' && <p className={typography.muted}>{t('audit.without_difference')}</p>}
      </div>
      <div className={styles.origin}>
        <SummaryList items={facts.filter(({ value }) => value !== '')} />
      </div>
      {others.length > 0 && (
        <PanelSection title={t('audit.others')}>
          <ul className={styles.names}>
            {[entry, ...others].map((one) => (
              <li key={one.id}>
                <Button variant="subtle" onClick={() => onObject(one.object)}>
                  {words.record(one)} #{one.object_id}
                </Button>
              </li>
            ))}
          </ul>
        </PanelSection>
      )}
    </>
  );
}

/** Where the object is, if it has a panel of its own and may still be there. */
function RecordLink({ entry: { kind, object_id: id, action } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  if (action === 'deleted' || !/^\d+$/.test(id)) return null;
  if (kind === 'channel') {
    return (
      <Link className={styles.open} to="/channel/edit/$id" params={{ id }}>
        {t('audit.open.channel')}
      </Link>
    );
  }
  if (kind === 'user' || kind === 'sign_in') {
    return (
      <Link className={styles.open} to="/user/edit/$id" params={{ id }}>
        {t('audit.open.user')}
      </Link>
    );
  }
  return null;
}
