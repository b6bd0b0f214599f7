import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { PanelSection } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { Clip } from './clips.ts';
import { Picture } from './picture.tsx';
import styles from './tasks.module.css';

/** What was made of music: each with its cover, a player, and its lyrics. */
export function Clips({ clips }: { clips: readonly Clip[] }) {
  const { t } = useTranslation();
  if (clips.length === 0) return null;
  return (
    <PanelSection title={t('tasks.panel.clips')} aside={clips.length}>
      <ul className={layout.stackLg}>
        {clips.map((clip, index) => (
          <li key={clip.id || index}>
            <ClipPart clip={clip} number={index + 1} />
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function ClipPart({ clip, number }: { clip: Clip; number: number }) {
  const { t } = useTranslation();
  const name = clip.title || t('tasks.clip.unnamed', { number });
  const about = [clip.seconds === undefined ? '' : clockOf(clip.seconds), clip.tags].filter((part) => part !== '').join(' · ');
  return (
    <article className={styles.clip}>
      <Picture src={clip.cover} kind="music" alt="" isSmall />
      <div className={styles.clipWords}>
        <b>{name}</b>
        <span className={typography.muted}>{about}</span>
      </div>
      <Player key={clip.audio} src={clip.audio} name={name} />
      {clip.video !== undefined && (
        <a className={styles.link} href={clip.video} target="_blank" rel="noreferrer noopener">
          <Icon name="play" />
          {t('tasks.clip.video')}
        </a>
      )}
      {clip.lyrics !== '' && (
        <div className={styles.clipLyrics}>
          <Fold title={t('tasks.panel.lyrics')}>{() => <p className={styles.text}>{clip.lyrics}</p>}</Fold>
        </div>
      )}
    </article>
  );
}

/** Nothing is loaded before play is pressed. */
function Player({ src, name }: { src: string | undefined; name: string }) {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  if (src === undefined) return <p className={styles.player}>{t('tasks.clip.no_audio')}</p>;
  if (hasFailed) {
    return (
      <p className={styles.player}>
        <StatusMark status="failed">{t('tasks.clip.broken')}</StatusMark>{' '}
        <a className={styles.link} href={src} target="_blank" rel="noreferrer noopener">
          {t('tasks.clip.open')}
        </a>
      </p>
    );
  }
  // Its words stand in the fold below.
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  return <audio className={styles.player} controls preload="none" src={src} aria-label={name} onError={() => setFailed(true)} />;
}

/** `3:07` */
function clockOf(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
