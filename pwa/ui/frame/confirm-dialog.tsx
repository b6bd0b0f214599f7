import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
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
  /** A promise keeps the button busy until it settles. */
  onConfirm: () => void | Promise<void>;
  onCancel: () => void;
}

/** Asks before something that cannot be undone. Details never go into a dialog. */
export function ConfirmDialog({
  opened,
  title,
  text,
  confirmLabel,
  cancelLabel,
  isDanger = false,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);

  async function handleConfirm(): Promise<void> {
    setBusy(true);
    try {
      await onConfirm();
    } finally {
      setBusy(false);
    }
  }

  if (!opened) return null;
  return (
    <Dialog title={title} onClose={onCancel}>
      <div className={styles.text}>{text}</div>
      <div className={styles.actions}>
        <Button onClick={onCancel} autoFocus>
          {cancelLabel ?? t('common.action.cancel')}
        </Button>
        <Button variant="filled" data-danger={isDanger || undefined} loading={isBusy} onClick={() => void handleConfirm()}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
