import { useTranslation } from 'react-i18next';
import type { Backup } from '#shared/backups.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { download } from '#pwa/ui/controls/download.ts';
import { SidePanel, SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { BackupMark } from './backup-mark.tsx';
import styles from './backups.module.css';
import { backupAddress } from './queries.ts';
import { sizeText } from '#pwa/ui/size-text.ts';

interface BackupPanelProps {
  backup: Backup;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

/** One backup: its file, its contents, and how it is restored. */
export function BackupPanel({ backup, ...ways }: BackupPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { id, name, place, where, bytes, rows, error, sha256, ended_at: ended } = backup;
  const command = `npm run restore -- ${name}`;
  const isDone = backup.state === 'done';
  return (
    <SidePanel
      {...ways}
      title={format.dateTime(backup.started_at)}
      note={`#${id}`}
      foot={backup.can_download && <OnlineButton onClick={() => download(backupAddress(id))} label={t('backups.action.download')} />}
    >
      <div className={layout.stackLg}>
        <BackupMark backup={backup} />
        {error !== undefined && error.text !== '' && <p className={`${typography.secondary} ${styles.break}`}>{error.text}</p>}
        <SummaryList
          items={[
            { name: t('backups.column.trigger'), value: t(`backups.trigger.${backup.trigger}`) },
            ...(ended === undefined
              ? []
              : [{ name: t('backups.panel.duration'), value: format.duration((ended - backup.started_at) * 1000) }]),
            ...(bytes === undefined ? [] : [{ name: t('backups.column.size'), value: sizeText(bytes, format) }]),
            ...(rows === undefined ? [] : [{ name: t('backups.column.rows'), value: format.count(rows) }]),
            { name: t(`backups.place.${place}`), value: <span className={styles.break}>{where}</span> },
            { name: t('backups.panel.file'), value: <span className={styles.break}>{name}</span> },
            { name: t('backups.column.key'), value: t(backup.has_key ? 'backups.key.sealed' : 'backups.key.apart') },
            ...(sha256 === undefined ? [] : [{ name: 'SHA-256', value: <code className={styles.break}>{sha256}</code> }]),
          ]}
        />
        {isDone && backup.is_snapshot === false && <p className={typography.secondary}>{t('backups.panel.no_snapshot')}</p>}
        {isDone && (
          <div className={layout.stackSm}>
            <p className={typography.secondary}>{t('backups.panel.restore')}</p>
            <span className={layout.row}>
              <code className={`${styles.break} ${layout.fill}`}>{command}</code>
              <CopyIcon text={command} label={t('backups.panel.copy')} />
            </span>
          </div>
        )}
      </div>
    </SidePanel>
  );
}
