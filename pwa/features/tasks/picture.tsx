import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { TaskKind } from './task-kinds.ts';
import styles from './tasks.module.css';

const icons = { drawing: 'picture', music: 'music', video: 'play' } as const;

interface PictureProps {
  src: string | undefined;
  kind: TaskKind;
  /** Empty: the words next to it describe it. */
  alt: string;
  /** In a row: what is wrong is only said to the ear and at a pointer. */
  isSmall?: boolean;
  /** It stands on nothing that is pressed itself. */
  canRetry?: boolean;
}

/** A picture of an upstream in a box that has its size before it comes. One that does not come says so. */
export function Picture(props: PictureProps) {
  // With a network again it is worth another try.
  const isOnline = useIsOnline();
  const [tries, setTries] = useState(0);
  return <LoadedPicture key={`${props.src} ${isOnline} ${tries}`} {...props} onAgain={() => setTries(tries + 1)} />;
}

function LoadedPicture({ src, kind, alt, isSmall = false, canRetry = false, onAgain }: PictureProps & { onAgain: () => void }) {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  if (src === undefined) {
    return (
      <span className={`${typography.note} ${layout.stackXs} ${styles.box}`} data-small={isSmall || undefined}>
        <Icon name={icons[kind]} large={!isSmall} />
      </span>
    );
  }
  if (hasFailed) {
    return (
      <span
        className={`${typography.note} ${layout.stackXs} ${styles.box}`}
        data-small={isSmall || undefined}
        title={isSmall ? t('tasks.picture.broken') : undefined}
      >
        <Icon name="close" large={!isSmall} />
        <span className={isSmall ? 'visually-hidden' : undefined}>{t('tasks.picture.broken')}</span>
        {canRetry && (
          <PlainIconButton label={t('common.action.retry')} onClick={onAgain}>
            <Icon name="refresh" />
          </PlainIconButton>
        )}
      </span>
    );
  }
  return (
    <span className={`${typography.note} ${layout.stackXs} ${styles.box}`} data-small={isSmall || undefined}>
      <img src={src} alt={alt} loading="lazy" decoding="async" referrerPolicy="no-referrer" onError={() => setFailed(true)} />
    </span>
  );
}
