import { type ReactNode, useId } from 'react';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './dialog.module.css';
import { useModal } from './use-modal.ts';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Question or short text over the page; the browser traps the focus and restores it. The dialog is open while it is mounted. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const titleId = useId();
  const dialog = useModal();
  return (
    <dialog
      className={styles.dialog}
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 className={styles.title} id={titleId}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** Buttons of a dialog, at its end: the one that leaves, then the one that does. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={`${layout.wrap} ${styles.foot}`}>{children}</div>;
}
