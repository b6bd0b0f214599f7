import { type ReactNode, useEffect, useState } from 'react';
import styles from './disclosure.module.css';
import { Icon } from './icon.tsx';

interface DisclosureProps {
  /** Draws the button; spread the given attributes onto it. */
  button: (attributes: { 'aria-expanded': boolean; onClick: () => void }) => ReactNode;
  /** What opens below it. `close` is for entries that end it; the button has the focus then. */
  children: (close: () => void) => ReactNode;
}

/** A button with a small sheet below it. Light: the shell is loaded with it. Esc, a click outside or leaving closes it. */
export function Disclosure({ button, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false);
  const [root, setRoot] = useState<HTMLDivElement | null>(null);

  useEffect(() => {
    if (!isOpen) return;
    const handleOutside = (event: Event): void => {
      if (event.target instanceof Node && root?.contains(event.target) !== true) setOpen(false);
    };
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      setOpen(false);
      focusButton(root);
    };
    document.addEventListener('pointerdown', handleOutside);
    document.addEventListener('focusin', handleOutside);
    root?.addEventListener('keydown', handleKey);
    return () => {
      document.removeEventListener('pointerdown', handleOutside);
      document.removeEventListener('focusin', handleOutside);
      root?.removeEventListener('keydown', handleKey);
    };
  }, [isOpen, root]);

  function close(): void {
    setOpen(false);
    focusButton(root);
  }
  return (
    <div className={styles.root} ref={setRoot}>
      {button({ 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) })}
      {isOpen && <div className={styles.sheet}>{children(close)}</div>}
    </div>
  );
}

function focusButton(root: HTMLElement | null): void {
  root?.querySelector('button')?.focus();
}

interface DisclosureItemProps {
  icon?: ReactNode;
  /** One of several, and this one is set. */
  isChosen?: boolean;
  onClick: () => void;
  children: ReactNode;
}

export function DisclosureItem({ icon, isChosen, onClick, children }: DisclosureItemProps) {
  return (
    <button type="button" className={styles.item} aria-pressed={isChosen} onClick={onClick}>
      {icon}
      <span className={styles.word}>{children}</span>
      {isChosen === true && <Icon name="check" />}
    </button>
  );
}
