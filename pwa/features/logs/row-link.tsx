import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import styles from './logs.module.css';

/** Another row of the log in the place of this one. */
export function RowLink({ id, children }: { id: number; children: ReactNode }) {
  return (
    <Link className={styles.rowLink} to="/log" search={(old) => ({ ...old, open: String(id) })}>
      {children}
    </Link>
  );
}

/** The session that a call belongs to, opened. */
export function SessionLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Link className={styles.rowLink} to="/log" search={{ view: 'sessions', session: id }}>
      {children}
    </Link>
  );
}
