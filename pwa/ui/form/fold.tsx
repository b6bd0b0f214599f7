import { type ReactNode, useId, useState } from 'react';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './fold.module.css';
import { Icon } from '#pwa/ui/controls/icon.tsx';

interface FoldProps {
  title: ReactNode;
  /** At the right of the title: how much is set inside. */
  aside?: ReactNode;
  /** Something inside needs to be seen: it opens by itself. */
  needsLook?: boolean;
  /** It begins open. */
  beginsOpen?: boolean;
  /** A function makes what is drawn only while it is open. */
  children: ReactNode | (() => ReactNode);
}

/** A part of a form that is seldom needed. */
export function Fold({ title, aside, needsLook = false, beginsOpen = false, children }: FoldProps) {
  const [isWanted, setWanted] = useState(beginsOpen);
  const id = useId();
  const isOpen = isWanted || needsLook;
  return (
    <section className={styles.fold}>
      <button
        type="button"
        className={`${control.bare} ${layout.row} ${styles.head}`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setWanted(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        <span className={styles.title}>{title}</span>
        <span className={typography.muted}>{aside}</span>
      </button>
      <div className={styles.body} id={id} hidden={!isOpen}>
        {typeof children !== 'function' ? children : isOpen && children()}
      </div>
    </section>
  );
}
