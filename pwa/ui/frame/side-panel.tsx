import { ActionIcon } from '@mantine/core';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { BottomSheet, hasFoot } from './bottom-sheet.tsx';
import { useIsPhone } from './breakpoint.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { isElsewhere } from '#pwa/ui/list/list-keys.ts';
import styles from './side-panel.module.css';
import { useSaveKey } from './use-save-key.ts';

interface SidePanelProps {
  title: ReactNode;
  /** Muted text next to the title: `#9`. */
  note?: ReactNode;
  onClose: () => void;
  /** The record before and after, where the list has one. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  /** Ctrl-S or ⌘S. */
  onSave?: () => void;
  /** Buttons at the foot. */
  foot?: ReactNode;
  /**
   * Puts the focus into the panel when it opens: into its first field, or the first button of what is marked `data-autofocus`.
   * A record that is only looked at leaves it in the list.
   */
  takesFocus?: boolean;
  /** A long form: on a phone its sheet does not grow as parts of it arrive. */
  isTall?: boolean;
  children: ReactNode;
}

/** One record next to its list: 420 px at a desk, a bottom sheet on a phone. */
export function SidePanel(props: SidePanelProps) {
  useSaveKey(props.onSave);
  if (!useIsPhone()) return <DeskPanel {...props} />;
  const title = (
    <>
      {props.title} {props.note !== undefined && <span className={styles.note}>{props.note}</span>}
    </>
  );
  return (
    <BottomSheet opened title={title} onClose={props.onClose} foot={props.foot} isTall={props.isTall === true}>
      {props.children}
    </BottomSheet>
  );
}

/** Reserves the space of a panel that loads, so that the list is laid out once. */
export function PanelSpace() {
  return useIsPhone() ? null : <aside className={styles.panel} aria-busy="true" />;
}

function DeskPanel({ title, note, onClose, onPrevious, onNext, foot, takesFocus = false, children }: SidePanelProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);
  const walks = onPrevious !== undefined || onNext !== undefined;
  useEffect(() => {
    if (!takesFocus) return;
    const before = document.activeElement;
    const node = panel.current;
    const first = node?.querySelector<HTMLElement>('[data-autofocus] button, input, select, textarea');
    (first ?? node)?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [takesFocus]);

  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      // From a field as well, if it is one of the panel.
      const isInside = event.target instanceof Node && panel.current?.contains(event.target) === true;
      if (!isInside && isElsewhere(event.target)) return;
      event.preventDefault();
      onClose();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, [onClose]);

  return (
    <aside className={styles.panel} aria-labelledby={titleId} tabIndex={-1} ref={panel}>
      <header className={styles.head}>
        <h2 className={`${typography.heading} ${typography.ellipsis} ${layout.fill}`} id={titleId}>
          {title} {note !== undefined && <span className={styles.note}>{note}</span>}
        </h2>
        {walks && (
          <>
            <ActionIcon aria-label={t('common.panel.previous')} disabled={onPrevious === undefined} onClick={onPrevious}>
              <Icon name="up" />
            </ActionIcon>
            <ActionIcon aria-label={t('common.panel.next')} disabled={onNext === undefined} onClick={onNext}>
              <Icon name="down" />
            </ActionIcon>
            <kbd aria-hidden="true">J K</kbd>
          </>
        )}
        <ActionIcon aria-label={t('common.action.close')} onClick={onClose}>
          <Icon name="close" />
        </ActionIcon>
      </header>
      <div className={styles.body}>{children}</div>
      {hasFoot(foot) && <footer className={`${layout.row} ${styles.foot}`}>{foot}</footer>}
    </aside>
  );
}

/** A part of a panel with its small heading. */
export function PanelSection({ title, aside, children }: { title?: ReactNode; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section}>
      {title !== undefined && (
        <h3 className={`${typography.note} ${styles.sectionTitle}`}>
          <span>{title}</span>
          <span>{aside}</span>
        </h3>
      )}
      {children}
    </section>
  );
}

/** A record in short: names at the left, values at the right. */
export function SummaryList({ items }: { items: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className={styles.summary}>
      {items.map((item) => (
        <div key={item.name}>
          <dt>{item.name}</dt>
          <dd>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
