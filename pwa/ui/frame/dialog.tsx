import { MantineThemeProvider } from '@mantine/core';
import { type ReactNode, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './dialog.module.css';
import { useModal } from './use-modal.ts';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Lists of fields: outside the dialog the browser makes them inert, and in its flow they would be cut off where it ends. */
const list = { comboboxProps: { withinPortal: false, floatingStrategy: 'fixed' } } as const;
const within = {
  components: {
    Select: { defaultProps: { ...list, openOnFocus: false } },
    Autocomplete: { defaultProps: list },
    MultiSelect: { defaultProps: list },
    TagsInput: { defaultProps: list },
  },
};

/**
 * Question or short text over the page; the browser traps the focus and restores it. The dialog is open while it is mounted. It stands outside the page,
 * which is inert below an open sheet.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const titleId = useId();
  const dialog = useModal();
  const endsList = useRef(false);
  return createPortal(
    <dialog
      className={styles.dialog}
      ref={dialog}
      aria-labelledby={titleId}
      // Esc ends the topmost: the list of a field, whose own handler has closed it before the browser cancels the dialog.
      onKeyDownCapture={(event) => {
        endsList.current = event.key === 'Escape' && dialog.current?.querySelector('[aria-expanded="true"]') !== null;
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!endsList.current) onClose();
        endsList.current = false;
      }}
    >
      <h2 className={styles.title} id={titleId}>
        {title}
      </h2>
      <MantineThemeProvider inherit theme={within}>
        {children}
      </MantineThemeProvider>
    </dialog>,
    document.body,
  );
}

/** Buttons of a dialog, at its end: the one that leaves, then the one that does. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={`${layout.wrap} ${styles.foot}`}>{children}</div>;
}
