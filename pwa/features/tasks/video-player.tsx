import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import styles from './tasks.module.css';

interface VideoPlayerProps {
  source: string;
  /** Undefined: its first picture stands for it. */
  poster: string | undefined;
  /** `1280×720`: its room is there before it is. */
  size: string;
  name: string;
  /** What it is saved as, without an ending. */
  file: string;
}

/** A video that is done: watched here, or saved. */
export function VideoPlayer(props: VideoPlayerProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const { source, file } = props;
  return (
    <>
      {/* With a network again it is worth another try. */}
      <Shown key={`${source} ${isOnline}`} {...props} isOnline={isOnline} />
      {isOnline && (
        <a className={styles.link} href={source} download={`${file}.mp4`}>
          <Icon name="download" />
          {t('tasks.video.save')}
        </a>
      )}
    </>
  );
}

function Shown({ source, poster, size, name, isOnline }: VideoPlayerProps & { isOnline: boolean }) {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  if (!isOnline || hasFailed) {
    return (
      <p className={styles.noVideo}>
        <StatusMark status={isOnline ? 'failed' : 'offline'}>{t(isOnline ? 'tasks.video.broken' : 'tasks.video.offline')}</StatusMark>
      </p>
    );
  }
  const [width = 16, height = 9] = size.split('×').map(Number);
  return (
    // Its provider gives no words with it.
    // oxlint-disable-next-line jsx-a11y/media-has-caption
    <video
      className={styles.video}
      style={{ aspectRatio: `${width} / ${height}` }}
      controls
      playsInline
      preload={poster === undefined ? 'metadata' : 'none'}
      src={source}
      poster={poster}
      aria-label={name}
      onError={() => setFailed(true)}
    />
  );
}
