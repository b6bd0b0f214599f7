// A field with an open list: Escape closes the list alone, and neither the panel nor the dialog that the field is in.

/** Call it once. Before all others hear of the key: when they do, the field may have closed its list already. */
export function closeListFirst(): () => void {
  const handleKey = (event: KeyboardEvent): void => {
    // The field itself asks nothing of the event but its key; panels, and the browser for dialogs, leave alone what is prevented.
    if (event.key === 'Escape' && event.target instanceof Element && hasOpenList(event.target)) event.preventDefault();
  };
  document.addEventListener('keydown', handleKey, true);
  return () => document.removeEventListener('keydown', handleKey, true);
}

/** A list that nothing is left in is open, too, and hidden. */
function hasOpenList(field: Element): boolean {
  const list = field.closest('[data-expanded]')?.getAttribute('aria-controls') ?? '';
  return document.getElementById(list)?.closest('[data-hidden]') === null;
}
