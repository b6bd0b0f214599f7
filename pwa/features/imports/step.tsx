import type { ReactNode } from 'react';
import { type Status, StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './imports.module.css';

interface StepProps {
  title: string;
  status: Status;
  /** Its state in words. */
  text: string;
  actions?: ReactNode;
}

/** A line of an import: shape, name, state, and what can be done. */
export function Step({ title, status, text, actions }: StepProps) {
  return (
    <section className={styles.step} data-unreached={status === 'unreached' || undefined} aria-label={title}>
      <h2 className={styles.stepTitle}>
        <StatusMark status={status}>{title}</StatusMark>
      </h2>
      <p className={styles.stepText}>{text}</p>
      <span className={`${layout.wrap} ${styles.stepActions}`}>{actions}</span>
    </section>
  );
}
