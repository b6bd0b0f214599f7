import type { ReactNode } from 'react';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './block.module.css';

interface BlockProps {
  title: ReactNode;
  /** Top right: an `AsOf`, a small button. */
  aside?: ReactNode;
  /** A label rather than a heading, above a figure. */
  isQuiet?: boolean;
  children: ReactNode;
}

/** A part of a screen with its heading; a sheet of full width on a phone. */
export function Block({ title, aside, isQuiet = false, children }: BlockProps) {
  return (
    <section className={styles.block}>
      <header className={`${layout.row} ${layout.spread}`}>
        <h2 className={`${typography.heading} ${styles.title}`} data-quiet={isQuiet || undefined}>
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
