import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { taskContentPath } from '#shared/tasks.ts';
import type { Answer } from '#pwa/offline/conversation.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { ChatIcon } from './icons.tsx';
import answerStyles from './answer.module.css';
import styles from './answer-media.module.css';

/** A video that was ordered: how far it is, what came of it, or what came back. */
export function MadeVideo({ answer }: { answer: Answer }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { state, video, quota = 0 } = answer;
  if (video === undefined) return null;
  const { size, seconds, progress = 0, task, refunded } = video;
  const ordered = t('playground.video.ordered', { size: size.replace('x', ' × '), count: seconds });
  if (state === 'running')
    return (
      <p className={styles.videoFacts} role="status">
        <span>{progress > 0 ? t('playground.video.progress', { percent: progress }) : t('playground.video.queued')}</span>
        <span>{ordered}</span>
        {progress > 0 && <progress max={100} value={progress} aria-hidden="true" />}
      </p>
    );
  const amount = (some: number): string => `${format.charge(some)} ${format.unit || t('common.quota.name')}`;
  if (state === 'failed')
    return (
      <p className={styles.videoFacts}>
        <span>{ordered}</span>
        {quota > 0 && (
          <span>
            {refunded === undefined ? t('playground.video.refunding') : t('playground.video.refunded', { amount: amount(refunded) })}
          </span>
        )}
      </p>
    );
  return state === 'done' && task !== undefined ? <Player answer={answer} task={task} size={size} ordered={ordered} /> : null;
}

function Player({ answer, task, size, ordered }: { answer: Answer; task: number; size: string; ordered: string }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const [failedAt, setFailedAt] = useState<boolean>();
  const [width = 16, height = 9] = size.split('x').map(Number);
  const source = taskContentPath(task);
  const { model } = answer;
  // With a network again it is worth another try.
  const isBroken = failedAt === isOnline;
  return (
    <figure className={`${layout.stackSm} ${styles.video}`} style={{ maxWidth: `min(100%, ${Math.round((480 * width) / height)}px)` }}>
      {!isOnline || isBroken ? (
        <p className={styles.noVideo} style={{ aspectRatio: `${width} / ${height}` }}>
          <StatusMark status={isOnline ? 'failed' : 'offline'}>
            {t(isOnline ? 'playground.video.broken' : 'playground.video.offline')}
          </StatusMark>
        </p>
      ) : (
        // Its provider gives no words with it.
        // oxlint-disable-next-line jsx-a11y/media-has-caption
        <video
          style={{ aspectRatio: `${width} / ${height}` }}
          controls
          playsInline
          preload="metadata"
          src={source}
          aria-label={t('playground.video.player', { model })}
          onError={() => setFailedAt(isOnline)}
        />
      )}
      <figcaption className={styles.videoFacts}>
        <span>{ordered}</span>
        {isOnline && (
          <a
            className={answerStyles.receipt}
            href={source}
            download={`${model.replaceAll(/[^\w.-]+/g, '-')}.mp4`}
            aria-label={t('playground.video.download')}
            title={t('playground.video.download')}
          >
            <ChatIcon name="download" />
          </a>
        )}
      </figcaption>
    </figure>
  );
}
