import type { ReactNode } from 'react';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './tag.module.css';

/** Names a thing (a group, a mode, a kind). A state has a `StatusMark` instead. */
export function Tag({ children }: { children: ReactNode }) {
  return <span className={`${typography.small} ${styles.tag}`}>{children}</span>;
}
