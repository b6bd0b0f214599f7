import type { ReactNode } from 'react';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './progress.module.css';

interface ProgressBarProps {
  /** Names the work for screen readers. */
  name: string;
  done: number;
  all: number;
  /** Part of `done`, drawn in another colour. Its number must be in a text. */
  failed?: number;
  /** Read instead of the numbers. */
  text?: string;
}

export function ProgressBar({ name, done, all, failed = 0, text }: ProgressBarProps) {
  const share = (count: number): string => `${all === 0 ? 0 : Math.min(100, (count / all) * 100)}%`;
  return (
    <span
      className={styles.track}
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={Math.min(done, all)}
      aria-valuetext={text}
    >
      <i style={{ inlineSize: share(done - failed) }} />
      {failed > 0 && <i data-failed style={{ inlineSize: share(failed) }} />}
    </span>
  );
}

interface ProgressProps extends ProgressBarProps {
  text: string;
  /** Remaining time as a sentence. */
  left?: string | undefined;
  /** Further figures. */
  children?: ReactNode;
}

/** A bar with its figures above. */
export function Progress({ left, children, ...bar }: ProgressProps) {
  return (
    <div className={layout.stackXs}>
      <span className={`${typography.small} ${styles.line}`}>
        <span role="status">{bar.text}</span>
        {children}
        {left !== undefined && <span className={styles.left}>{left}</span>}
      </span>
      <ProgressBar {...bar} />
    </div>
  );
}
