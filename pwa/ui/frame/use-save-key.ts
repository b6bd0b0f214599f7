import { useEffect } from 'react';
import { type Shortcut, useShortcuts } from './shortcuts.ts';

const saving: readonly Shortcut[] = [{ keys: ['Mod', 'S'], text: 'palette.key.save' }];
const nothing: readonly Shortcut[] = [];

/** Ctrl-S or ⌘S, wherever the focus is; not under a dialog. Without anything to save the key is the browser's. */
export function useSaveKey(onSave: (() => void) | undefined): void {
  useShortcuts(onSave === undefined ? nothing : saving);
  useEffect(() => {
    if (onSave === undefined) return;
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      // Prevents the browser's dialog for saving the page as a file.
      event.preventDefault();
      if (!event.repeat && document.querySelector('dialog[open]') === null) onSave();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, [onSave]);
}
