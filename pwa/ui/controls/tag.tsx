import type { ReactNode } from 'react';
import styles from './tag.module.css';

/** Names a thing (a group, a mode, a kind). A state has a `StatusMark` instead. */
export function Tag({ children }: { children: ReactNode }) {
  return <span className={styles.tag}>{children}</span>;
}
