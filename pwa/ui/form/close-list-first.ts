// A field with an open list: Escape closes the list alone, and neither the panel nor the dialog that the field is in.

/** Handles Escape before all other listeners: when theirs run, the field may have closed its list already. Call it once. */
export function closeListFirst(): () => void {
  const handleKey = (event: KeyboardEvent): void => {
    // The field itself reads only the key of the event; panels, and the browser for dialogs, ignore events that are prevented.
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
