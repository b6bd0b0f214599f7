import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './first-call.module.css';

interface StepProps {
  number: number;
  name: string;
  isDone: boolean;
  /** What is there, in one line. */
  line: ReactNode;
  actions?: ReactNode;
  /** What is to be done, under the line. */
  children?: ReactNode;
}

/** One line when it is done; open while it is the one to do. */
export function Step({ number, name, isDone, line, actions, children }: StepProps) {
  const { t } = useTranslation();
  const isOpen = children !== undefined && children !== null && children !== false;
  return (
    <section className={styles.step} data-open={isOpen || undefined} aria-labelledby={`step-${number}`}>
      <div className={styles.stepLine}>
        <StepShape isDone={isDone} />
        <h2 id={`step-${number}`} className={`${typography.compact} ${typography.strong} ${styles.stepName}`} tabIndex={-1}>
          {number} · {name}
          <span className={styles.readOnly}> · {t(isDone ? 'guide.step_done' : 'guide.step_open')}</span>
        </h2>
        <div className={styles.stepText}>{line}</div>
        {actions !== undefined && <div className={styles.stepActions}>{actions}</div>}
      </div>
      {isOpen && <div className={styles.stepBody}>{children}</div>}
    </section>
  );
}

function StepShape({ isDone }: { isDone: boolean }) {
  return (
    <svg className={styles.shape} data-done={isDone || undefined} viewBox="0 0 12 12" aria-hidden="true">
      {isDone ? (
        <circle cx="6" cy="6" r="4.5" fill="currentColor" />
      ) : (
        <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      )}
    </svg>
  );
}
