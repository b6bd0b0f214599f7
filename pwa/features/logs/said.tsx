import typography from '#pwa/ui/styles/typography.module.css';
import styles from './logs.module.css';

/** What happened; nothing while its texts are loaded. */
export function EndingSentence({ sentence }: { sentence: string | undefined }) {
  return (
    <span className={`${typography.ellipsis} ${styles.said}`} title={sentence} aria-busy={sentence === undefined}>
      {sentence ?? '\u00a0'}
    </span>
  );
}
