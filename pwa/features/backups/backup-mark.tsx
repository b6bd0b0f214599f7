import { useTranslation } from 'react-i18next';
import type { Backup } from '#shared/backups.ts';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';

/** State of a backup; of a failed one, its cause. */
export function BackupMark({ backup: { state, error, removed_at: removed } }: { backup: Backup }) {
  const { t } = useTranslation();
  if (state === 'failed' && error !== undefined) {
    const status: Status = error.code === 'stopped' ? 'off' : 'failed';
    return <StatusMark status={status}>{t(`backups.failure.${error.code}`)}</StatusMark>;
  }
  if (removed !== undefined) return <StatusMark status="expired">{t('backups.state.removed')}</StatusMark>;
  return <StatusMark status={state === 'running' ? 'running' : 'on'}>{t(`backups.state.${state}`)}</StatusMark>;
}
