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

/** The task that a call ordered, where its log has it. */
export function TaskLink({ id, isDrawing }: { id: string; isDrawing: boolean }) {
  const kind = id.startsWith('video_') ? ('video' as const) : undefined;
  return (
    <Link className={styles.rowLink} to={isDrawing ? '/midjourney' : '/task'} search={{ id, kind }}>
      {id}
    </Link>
  );
}
