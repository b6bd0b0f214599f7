import { useTranslation } from 'react-i18next';
import type { AuditChange, AuditEntry } from '#shared/audit-log.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './audit-changes.module.css';
import { useAuditWords } from './use-audit-words.ts';

// Few entries are about limits.
const LimitText = lazyPart(
  async () => {
    const [part] = await Promise.all([import('#pwa/records/limits/limit-text.tsx'), loadTexts('limits')]);
    return part;
  },
  (part) => part.LimitText,
);

/** Difference of an entry, a line for each field. */
export function AuditChanges({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const { changes, more, reason, is_unconfirmed: isUnconfirmed } = entry;
  return (
    <div className={styles.changes}>
      {changes.map((change) => (
        <p key={change.field}>
          <AuditChangeText entry={entry} change={change} />
        </p>
      ))}
      {more > 0 && <p className={typography.muted}>{t('audit.more', { count: more })}</p>}
      {reason !== '' && <p className={typography.muted}>{t('audit.reason', { reason })}</p>}
      {isUnconfirmed && <p className={typography.muted}>{t('audit.unconfirmed')}</p>}
    </div>
  );
}

/** `Weight 10 → 20`: the old value struck. Of a new object there are new values only. */
export function AuditChangeText({ entry, change }: { entry: AuditEntry; change: AuditChange }) {
  const words = useAuditWords();
  const { before, after, secret, added = [], removed = [], more = 0 } = change;
  const isNew = entry.action === 'created' && before === undefined;
  return (
    <>
      <span className={typography.muted}>{words.field(change)}</span>{' '}
      {secret !== undefined ? (
        <i className={styles.secret}>{words.secret(secret)}</i>
      ) : added.length + removed.length > 0 ? (
        <Names added={added} removed={removed} more={more} />
      ) : (
        <>
          {!isNew && (
            <>
              <s className={typography.muted}>
                <AuditValue entry={entry} change={change} value={before} />
              </s>{' '}
              <span aria-hidden="true">→</span>{' '}
            </>
          )}
          <AuditValue entry={entry} change={change} value={after} />
        </>
      )}
    </>
  );
}

function AuditValue({ entry, change, value }: { entry: AuditEntry; change: AuditChange; value: AuditChange['before'] }) {
  const words = useAuditWords();
  const { field } = change;
  const isList = field === 'budgets' || field === 'rate_limits' || field === 'SiteBudgets' || field === 'SiteRateLimits';
  return isList && typeof value === 'string' ? <LimitText field={field} text={value} /> : words.value(entry, change, value);
}

function Names({ added, removed, more }: { added: readonly string[]; removed: readonly string[]; more: number }) {
  const { t } = useTranslation();
  const parts = [
    added.length > 0 && t('audit.names.added', { names: added.join(', ') }),
    removed.length > 0 && t('audit.names.removed', { names: removed.join(', ') }),
    more > 0 && t('audit.names.more', { count: more }),
  ];
  return parts.filter((part) => part !== false).join('; ');
}
