import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Progress } from '#pwa/ui/controls/progress.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import styles from './run-progress.module.css';
import { type ActiveRun, type ChannelRunsView, secondsLeft } from './use-channel-runs.ts';

type RunProgressProps = Pick<ChannelRunsView, 'active' | 'ended' | 'putAway' | 'stop' | 'isStopping'>;

/** Progress of a run over all channels, with a button to stop it; then its result. Renders nothing without a run. */
export function RunProgress({ active, ended, putAway, stop, isStopping }: RunProgressProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isOnline = useIsOnline();
  if (active === undefined) return ended === undefined ? null : <EndedRun {...ended} onClose={putAway} />;
  const { kind, run } = active;
  const text = t(`channels.run.progress_${kind}`, { done: format.count(run.done), total: format.count(run.total) });
  const left = secondsLeft(run, Date.now() / 1000);
  return (
    <div className={styles.run}>
      <Progress
        name={t(`channels.run.name_${kind}`)}
        text={text}
        left={left === undefined ? undefined : t('channels.run.left', { time: format.duration(left * 1000) })}
        done={run.done}
        all={run.total}
        failed={run.failed}
      >
        {run.failed > 0 && <StatusMark status="failed">{t('channels.run.failed', { count: run.failed })}</StatusMark>}
      </Progress>
      <Button disabled={!isOnline} loading={isStopping} onClick={() => void stop(kind)}>
        {t('channels.run.stop')}
      </Button>
    </div>
  );
}

/** Result of a run, with a link to the channels that failed. */
function EndedRun({ kind, run, onClose }: ActiveRun & { onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [done, failed] = [format.count(run.done), format.count(run.failed)];
  return (
    <div className={styles.ended} role="status">
      <StatusMark status={run.failed > 0 ? 'failed' : 'on'}>{t(`channels.run.ended_${kind}`, { done, failed })}</StatusMark>
      {kind === 'tests' && run.failed > 0 && (
        <Link className={styles.open} to="/channel" search={{ test: 'failed' }} onClick={onClose}>
          {t('channels.run.open_failed', { count: run.failed })}
        </Link>
      )}
      <Button variant="subtle" aria-label={t('common.action.close')} onClick={onClose}>
        <Icon name="close" />
      </Button>
    </div>
  );
}
