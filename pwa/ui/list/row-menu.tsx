import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Icon, type IconName } from '#pwa/ui/controls/icon.tsx';
import { PlainIconButton } from '#pwa/ui/controls/plain-button.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './row-menu.module.css';

export interface MenuAction {
  key: string;
  label: string;
  /** Under the label: why it cannot be pressed. */
  why?: string | undefined;
  isDisabled?: boolean;
  isDanger?: boolean;
  onClick: () => void;
}

interface RowMenuProps {
  /** Names the button, with the row's own name in it. */
  label: string;
  icon?: IconName;
  /** Pixels. */
  width: number;
  /** Called when the menu opens: until then a row holds only the button. */
  content: () => { note?: string | undefined; actions: readonly MenuAction[] };
}

/** What can be done with a row. Arrows walk, Esc and a press elsewhere close it, and the focus returns to the button. */
export function RowMenu({ label, icon = 'more', width, content }: RowMenuProps) {
  const id = useId();
  const button = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <span ref={button} className={styles.place}>
      <PlainIconButton
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
      </PlainIconButton>
      {isOpen &&
        createPortal(
          <OpenMenu
            id={id}
            label={label}
            width={width}
            {...content()}
            anchor={() => button.current?.querySelector('button') ?? null}
            onClose={() => setOpen(false)}
          />,
          document.body,
        )}
    </span>
  );
}

interface OpenMenuProps {
  id: string;
  label: string;
  width: number;
  note?: string | undefined;
  actions: readonly MenuAction[];
  anchor: () => HTMLButtonElement | null;
  onClose: () => void;
}

/** In pixels: between button and menu, and to the edges of the window. */
const gap = 4;

function OpenMenu({ id, label, width, note, actions, anchor, onClose }: OpenMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  usePlace(menu, { width, anchor, onClose });

  function close(): void {
    onClose();
    anchor()?.focus({ preventScroll: true });
  }
  function handleKey(event: KeyboardEvent<HTMLDivElement>): void {
    if (menu.current === null) return;
    const items = itemsOf(menu.current);
    const at = items.findIndex((item) => item === document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next !== undefined) items.at(next % items.length)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (event.key !== 'Enter' && event.key !== ' ') return;
    // The list behind it has its own meaning for these.
    event.nativeEvent.stopPropagation();
    if (event.key !== 'Enter' && event.key !== ' ') event.preventDefault();
  }
  return (
    <div
      ref={menu}
      id={id}
      className={styles.menu}
      style={{ width }}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={handleKey}
      // To React it is inside the row, which opens when it is pressed.
      onClick={(event) => event.stopPropagation()}
    >
      {note !== undefined && <p className={`${typography.note} ${styles.note}`}>{note}</p>}
      {actions.map((action) => (
        <button
          key={action.key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className={styles.action}
          data-danger={action.isDanger === true || undefined}
          disabled={action.isDisabled}
          onClick={() => {
            close();
            action.onClick();
          }}
        >
          {action.label}
          {action.why !== undefined && <small className={`${typography.note} ${styles.why}`}>{action.why}</small>}
        </button>
      ))}
    </div>
  );
}

/** Places the menu at its button once; whatever moves the button afterwards closes the menu, as a press elsewhere does. */
function usePlace(
  menu: RefObject<HTMLDivElement | null>,
  { width, anchor, onClose }: Pick<OpenMenuProps, 'width' | 'anchor' | 'onClose'>,
): void {
  useLayoutEffect(() => {
    const node = menu.current;
    const from = anchor();
    if (node === null || from === null) return;
    const at = from.getBoundingClientRect();
    const { height } = node.getBoundingClientRect();
    const hasRoomBelow = at.bottom + gap + height <= innerHeight - gap;
    node.style.top = `${hasRoomBelow ? at.bottom + gap : Math.max(gap, at.top - gap - height)}px`;
    node.style.left = `${Math.max(gap, Math.min(at.right, innerWidth - gap) - width)}px`;
    (itemsOf(node)[0] ?? node).focus({ preventScroll: true });
    const handleOutside = (event: Event): void => {
      if (event.target instanceof Node && !node.contains(event.target) && !from.contains(event.target)) onClose();
    };
    // Not every scroll moves the button: another part of the screen may have scrolled, or this one just before the menu opened.
    const handleMove = (): void => {
      const { top, left } = from.getBoundingClientRect();
      if (Math.abs(top - at.top) > 1 || Math.abs(left - at.left) > 1) onClose();
    };
    document.addEventListener('pointerdown', handleOutside);
    document.addEventListener('scroll', handleMove, true);
    addEventListener('resize', handleMove);
    return () => {
      document.removeEventListener('pointerdown', handleOutside);
      document.removeEventListener('scroll', handleMove, true);
      removeEventListener('resize', handleMove);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}

function itemsOf(menu: HTMLElement): HTMLButtonElement[] {
  return [...menu.querySelectorAll<HTMLButtonElement>('[role=menuitem]:enabled')];
}
