import { useTranslation } from 'react-i18next';
import type { Answer } from '#pwa/offline/conversation.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import { MadeVideo } from './answer-video.tsx';
import { ChatIcon } from './icons.tsx';
import answerStyles from './answer.module.css';
import styles from './answer-media.module.css';

/** Whatever a model has made that is no text. */
export function MadeMedia({ answer }: { answer: Answer }) {
  return (
    <>
      <MadePictures answer={answer} />
      <MadeSound answer={answer} />
      {answer.kind === 'video' && <MadeVideo answer={answer} />}
    </>
  );
}

/** Pictures that a model has made, or the room that they will have. */
export function MadePictures({ answer }: { answer: Answer }) {
  const { t } = useTranslation();
  const { pictures = [], awaited, model } = answer;
  if (pictures.length === 0) {
    if (answer.state !== 'running' || awaited === undefined) return null;
    return (
      <div className={styles.made} aria-hidden="true">
        {Array.from({ length: awaited.count }, (_one, index) => (
          <i key={index} className={`${surface.well} ${styles.awaited}`} style={{ aspectRatio: awaited.ratio }} />
        ))}
      </div>
    );
  }
  return (
    <div className={styles.made}>
      {pictures.map(({ url }, index) => {
        const number = index + 1;
        // Pictures of other origins are not fetched: the request would identify the reader to their host.
        if (!url.startsWith('data:'))
          return (
            <a key={index} className={styles.elsewhere} href={url} target="_blank" rel="noopener noreferrer">
              {t('playground.picture.elsewhere', { number })}
            </a>
          );
        const name = `${model.replaceAll(/[^\w.-]+/g, '-')}-${number}.${extensionOf(url)}`;
        return (
          <figure key={index} className={styles.madePicture}>
            <img src={url} alt={t(answer.state === 'done' ? 'playground.picture.alt' : 'playground.picture.preview', { number, model })} />
            {answer.state === 'done' && <Download url={url} name={name} label={t('playground.picture.download', { number })} />}
          </figure>
        );
      })}
    </div>
  );
}

/** What a model has spoken. */
export function MadeSound({ answer }: { answer: Answer }) {
  const { t } = useTranslation();
  const { sound, model } = answer;
  if (sound === undefined) return null;
  return (
    <div className={`${layout.row} ${styles.player}`}>
      {/* What it says is the question above it. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio controls preload="metadata" src={sound.url} aria-label={t('playground.speech.player', { model })} />
      <Download url={sound.url} name={`${model.replaceAll(/[^\w.-]+/g, '-')}.mp3`} label={t('playground.speech.download')} />
    </div>
  );
}

function Download({ url, name, label }: { url: string; name: string; label: string }) {
  return (
    <a className={answerStyles.receipt} href={url} download={name} aria-label={label} title={label}>
      <ChatIcon name="download" />
    </a>
  );
}

function extensionOf(url: string): string {
  const [, type = 'png'] = /^data:image\/(\w+)/.exec(url) ?? [];
  return type === 'jpeg' ? 'jpg' : type;
}
