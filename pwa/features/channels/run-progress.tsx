import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import styles from './run-progress.module.css';
import { type ChannelRunsView, secondsLeft } from './use-channel-runs.ts';

/** How a run over all channels goes on, and the way to stop it; nothing while there is none. */
export function RunProgress({ active, stop, isStopping }: Pick<ChannelRunsView, 'active' | 'stop' | 'isStopping'>) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  if (active === undefined) return null;
  const { kind, run } = active;
  const text = t(`channels.run.progress_${kind}`, { done: format.count(run.done), total: format.count(run.total) });
  const left = secondsLeft(run, Date.now() / 1000);
  const share = (count: number): string => `${run.total === 0 ? 0 : Math.min(100, (count / run.total) * 100)}%`;
  return (
    <div className={styles.run}>
      <span className={styles.line}>
        <span role="status">{text}</span>
        {run.failed > 0 && <StatusMark status="failed">{t('channels.run.failed', { count: run.failed })}</StatusMark>}
        {left !== undefined && <span className={styles.left}>{t('channels.run.left', { time: format.duration(left * 1000) })}</span>}
      </span>
      <span
        className={styles.bed}
        role="progressbar"
        aria-label={t(`channels.run.name_${kind}`)}
        aria-valuemin={0}
        aria-valuemax={run.total}
        aria-valuenow={Math.min(run.done, run.total)}
        aria-valuetext={text}
      >
        <i style={{ width: share(run.done - run.failed) }} />
        <i data-failed style={{ width: share(run.failed) }} />
      </span>
      <Button disabled={!isOnline} loading={isStopping} onClick={() => void stop(kind)}>
        {t('channels.run.stop')}
      </Button>
    </div>
  );
}
