import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { PlainButton, PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { closeToast, pressUndo, type Toast, useToasts } from './toast.ts';
import styles from './toasts.module.css';

const shownFor = { failed: 7000, note: 6000, on: 3000 } as const;
const undoFor = 10_000;

/** Where toasts appear, and where they are read aloud. */
export function Toasts() {
  const toasts = useToasts();
  // Outside of the page: while a sheet is open, the page is inert.
  return createPortal(
    <div className={`${layout.stackSm} ${styles.stack}`} role="status" aria-live="polite">
      {toasts.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </div>,
    document.body,
  );
}

function OneToast({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    // A toast under the pointer or with the focus stays.
    if (isHeld) return;
    const timer = setTimeout(() => closeToast(toast.id), toast.undo === undefined ? shownFor[toast.status] : undoFor);
    return () => clearTimeout(timer);
  }, [isHeld, toast]);
  return (
    <div
      className={`${layout.row} ${styles.toast}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className={`${layout.fill} ${styles.text}`}>
        <StatusMark status={toast.status}>{toast.text}</StatusMark>
      </span>
      {toast.undo !== undefined && <PlainButton onClick={() => pressUndo(toast)}>{t('common.undo.action')}</PlainButton>}
      <PlainIconButton label={t('common.action.close')} onClick={() => closeToast(toast.id)}>
        <Icon name="close" />
      </PlainIconButton>
    </div>
  );
}
