import { useEffect } from 'react';
import { type Shortcut, useShortcuts } from '#pwa/ui/frame/shortcuts.ts';

interface ListKeys {
  /** Row keys in order. */
  keys: readonly string[];
  cursor: string | undefined;
  /** The open record; the panel walks with the cursor. */
  open: string | undefined;
  onCursor: (key: string) => void;
  onOpen: ((key: string | undefined) => void) | undefined;
  onToggle: ((key: string) => void) | undefined;
  /** Esc when no panel is open. */
  onClear: (() => void) | undefined;
}

const walking: readonly Shortcut[] = [
  { keys: ['J', 'K'], text: 'common.keys.walk' },
  { keys: ['Enter'], text: 'common.keys.open' },
  { keys: ['Esc'], text: 'common.keys.close' },
];
const ticking: readonly Shortcut[] = [...walking, { keys: ['Space'], text: 'common.keys.tick' }];

/** J and K move, Enter opens, Space ticks, Esc closes. Inactive while the user types and under a dialog. */
export function useListKeys(list: ListKeys): void {
  useShortcuts(list.onToggle === undefined ? walking : ticking);
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isElsewhere(event.target)) return;
      if (actOn(event, list)) event.preventDefault();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  });
}

function actOn(event: KeyboardEvent, list: ListKeys): boolean {
  const onRow = event.target instanceof HTMLElement && event.target.dataset.rowKey !== undefined;
  switch (event.key) {
    case 'j':
      return walk(list, 1);
    case 'k':
      return walk(list, -1);
    // Arrows scroll the page unless a row has the focus.
    case 'ArrowDown':
      return onRow && walk(list, 1);
    case 'ArrowUp':
      return onRow && walk(list, -1);
    case 'Enter':
      if (!onRow || list.cursor === undefined || list.onOpen === undefined) return false;
      list.onOpen(list.cursor);
      return true;
    case ' ':
      if (!onRow || list.cursor === undefined || list.onToggle === undefined) return false;
      list.onToggle(list.cursor);
      return true;
    case 'Escape':
      if (list.open !== undefined && list.onOpen !== undefined) {
        list.onOpen(undefined);
        return true;
      }
      list.onClear?.();
      return list.onClear !== undefined;
    default:
      return false;
  }
}

function walk(list: ListKeys, step: 1 | -1): boolean {
  const from = list.keys.indexOf(list.open ?? list.cursor ?? '');
  const next = list.keys[from === -1 ? 0 : Math.min(list.keys.length - 1, Math.max(0, from + step))];
  if (next === undefined) return false;
  list.onCursor(next);
  if (list.open !== undefined && next !== list.open) list.onOpen?.(next);
  return true;
}

/** True where keys mean something else: in a field, in a dialog. */
export function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open], [role=dialog][aria-modal=true]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input:not([type=checkbox]), textarea, select, [role=listbox], [role=combobox]') !== null)
  );
}
