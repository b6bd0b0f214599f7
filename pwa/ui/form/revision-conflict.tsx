import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './revision-conflict.module.css';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** Field that another editor changed after the form was opened. */
export interface ConflictRow {
  field: string;
  name: string;
  base: string;
  theirs: string;
  /** What this form would write; absent: it leaves the field alone. */
  mine?: string;
}

interface RevisionConflictProps {
  rows: readonly ConflictRow[];
  isBusy: boolean;
  /** Writes this form's changes over the newer record; what else the others changed stays. */
  onKeepMine: () => void;
  /** Drops this form's changes and shows the newer record. */
  onReload: () => void;
}

/**
 * Conflict with a change that another editor saved in the meantime: the differences and both ways to resolve them. Nothing has been
 * written.
 */
export function RevisionConflict({ rows, isBusy, onKeepMine, onReload }: RevisionConflictProps) {
  const { t } = useTranslation();
  const hasOverlap = rows.some((row) => row.mine !== undefined);
  return (
    <section className={`${layout.stackSm} ${styles.note}`} role="alert">
      <StatusMark status="conflict" strong>
        {t('editing.conflict.title')}
      </StatusMark>
      <p>{t(hasOverlap ? 'editing.conflict.overlap' : 'editing.conflict.apart')}</p>
      <dl className={styles.rows}>
        {rows.map((row) => (
          <div key={row.field}>
            <dt>{row.name}</dt>
            <dd>
              <span className={typography.secondary}>{row.base === '' ? t('editing.conflict.empty') : row.base} →</span>{' '}
              {row.theirs === '' ? t('editing.conflict.empty') : row.theirs}
              {row.mine !== undefined && (
                <span className={styles.mine}>
                  {t('editing.conflict.mine', { value: row.mine === '' ? t('editing.conflict.empty') : row.mine })}
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <div className={layout.wrap}>
        <Button loading={isBusy} onClick={onKeepMine}>
          {t('editing.conflict.keep_mine')}
        </Button>
        <Button variant="subtle" disabled={isBusy} onClick={onReload}>
          {t('editing.conflict.reload')}
        </Button>
      </div>
    </section>
  );
}
