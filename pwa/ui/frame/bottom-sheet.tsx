import { ActionIcon } from '@mantine/core';
import { useFocusTrap } from '@mantine/hooks';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './bottom-sheet.module.css';
import { Icon } from '#pwa/ui/controls/icon.tsx';

interface BottomSheetProps {
  opened: boolean;
  title: ReactNode;
  onClose: () => void;
  /** Actions at the foot, full width. */
  foot?: ReactNode;
  /** As high as it can be from the start: what comes later does not move it. */
  isTall?: boolean;
  children: ReactNode;
}

/**
 * What a side panel or a menu is on a phone. Esc, the scrim and the close button end it; focus stays inside and returns.
 * Not a `<dialog>`: that would lie above the lists that fields open.
 */
export function BottomSheet(props: BottomSheetProps) {
  return props.opened ? createPortal(<OpenSheet {...props} />, document.body) : null;
}

function OpenSheet({ title, onClose, foot, isTall = false, children }: BottomSheetProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const trap = useFocusTrap(true);
  const opener = useRef(document.activeElement);
  const layer = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const before = opener.current;
    const page = document.getElementById('root');
    page?.setAttribute('inert', '');
    return () => {
      page?.removeAttribute('inert');
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && isOnTop(layer.current)) onClose();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, [onClose]);

  return (
    <div className={styles.layer} ref={layer} data-sheet>
      {/* The close button does the same for the keyboard. */}
      <div className={styles.scrim} onClick={onClose} aria-hidden="true" />
      <section
        className={styles.sheet}
        data-tall={isTall || undefined}
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        ref={trap}
      >
        <div className={styles.grab} aria-hidden="true" />
        <header className={styles.head}>
          <h2 className={`${typography.ellipsis} ${layout.fill} ${styles.title}`} id={titleId} tabIndex={-1} data-autofocus>
            {title}
          </h2>
          <ActionIcon aria-label={t('common.action.close')} onClick={onClose} className={styles.close}>
            <Icon name="close" large />
          </ActionIcon>
        </header>
        <div className={styles.body}>{children}</div>
        {hasFoot(foot) && <footer className={`${layout.wrap} ${styles.foot}`}>{foot}</footer>}
      </section>
    </div>
  );
}

/** Esc closes what is uppermost: no dialog and no later sheet is open. */
function isOnTop(layer: Element | null): boolean {
  return document.querySelector('dialog[open]') === null && [...document.querySelectorAll('[data-sheet]')].at(-1) === layer;
}

/** A foot without a button is none: `mayWrite && <Actions />`. */
export function hasFoot(foot: ReactNode): boolean {
  return foot !== undefined && foot !== null && foot !== false;
}
