import { useTranslation } from 'react-i18next';
import type { Backup } from '#shared/backups.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Progress } from '#pwa/ui/controls/progress.tsx';
import styles from './backups.module.css';
import { useStopBackup } from './queries.ts';
import { sizeText } from '#pwa/ui/size-text.ts';

/** Progress of the backup that is being made: figures, remaining time, and a button to stop it. */
export function BackupProgress({ backup, at }: { backup: Backup; at: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const stop = useStopBackup();
  const { step, progress: done, progress_all: all } = backup;
  const shown = (value: number): string => (step === 'upload' ? sizeText(value, format) : format.count(value));
  const text = all === 0 ? t('backups.progress.begins') : t(`backups.progress.${step}`, { done: shown(done), all: shown(all) });
  const seconds = at - backup.started_at;
  // Rows alone: an upload does not begin with the backup.
  const left = step === 'rows' && done > 0 && seconds > 2 ? (seconds / done) * (all - done) : undefined;
  return (
    <section className={styles.running} aria-label={t('backups.progress.name')}>
      <Progress
        name={t('backups.progress.name')}
        text={text}
        left={left !== undefined && left >= 1 ? t('backups.progress.left', { time: format.duration(left * 1000) }) : undefined}
        done={done}
        all={all}
      />
      <OnlineButton loading={stop.isPending} onClick={() => stop.mutate(backup.id)} label={t('backups.action.stop')} />
    </section>
  );
}
