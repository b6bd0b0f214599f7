// Which forms hold edits nobody saved. Apart from the form's own part, because the shell asks it too.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
const dirty = new Set<string>();

/** Says whether a form, by its id, holds unsaved edits. */
export function markUnsaved(id: string, isDirty: boolean): void {
  if (isDirty) dirty.add(id);
  else dirty.delete(id);
  for (const listener of listeners) listener();
}

export function useHasUnsavedEdits(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => dirty.size > 0,
  );
}
