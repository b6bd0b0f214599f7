import { Button } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './confirm-dialog.module.css';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** What will happen and whether it can be undone. */
  text: ReactNode;
  /** The act itself as the button's word: "Delete 3 tokens", not "OK". */
  confirmLabel: string;
  cancelLabel?: string;
  isDanger?: boolean;
  /** It cannot be done, or not yet: the text or the label says why. */
  isDisabled?: boolean;
  /** The text has fields to fill in: the first one has the focus, and Enter confirms. */
  hasFields?: boolean;
  /** A returned promise marks the button as busy until the promise settles. */
  onConfirm: () => void | Promise<void>;
  onCancel: () => void;
}

/** Requests confirmation of an action, with its amount if it has one. Longer forms are panels. */
export function ConfirmDialog({
  opened,
  title,
  text,
  confirmLabel,
  cancelLabel,
  isDanger = false,
  isDisabled = false,
  hasFields = false,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);

  async function handleConfirm(): Promise<void> {
    if (isBusy || isDisabled) return;
    setBusy(true);
    try {
      await onConfirm();
    } finally {
      setBusy(false);
    }
  }

  // No form of its own: the dialog may stand within one, which Enter must not send. In an open list, Enter has chosen an option.
  function handleKey(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.defaultPrevented || event.nativeEvent.isComposing || !(event.target instanceof HTMLInputElement))
      return;
    event.preventDefault();
    void handleConfirm();
  }

  if (!opened) return null;
  return (
    <Dialog title={title} onClose={onCancel}>
      <div className={styles.text} {...(hasFields ? { onKeyDown: handleKey } : {})}>
        {text}
      </div>
      <div className={`${layout.wrap} ${styles.actions}`}>
        <Button onClick={onCancel} autoFocus={!hasFields}>
          {cancelLabel ?? t('common.action.cancel')}
        </Button>
        <Button
          variant="filled"
          data-danger={isDanger || undefined}
          disabled={isDisabled}
          loading={isBusy}
          onClick={() => void handleConfirm()}
        >
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
