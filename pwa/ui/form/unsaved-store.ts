// Forms that hold unsaved edits. Separate from the form's own part, because the shell reads it too.
import { useEffect, useId } from 'react';
import { createListeners, useStore } from '#pwa/ui/store.ts';

const forms = createListeners();
const dirty = new Set<string>();

/** Says whether a form, by its id, holds unsaved edits. */
export function markUnsaved(id: string, isDirty: boolean): void {
  if (isDirty) dirty.add(id);
  else dirty.delete(id);
  forms.emit();
}

export function hasUnsavedEdits(): boolean {
  return dirty.size > 0;
}

/** Marks what stands outside a form, such as a question that is not sent yet, while it would be lost with the screen. */
export function useMarkUnsaved(isDirty: boolean): void {
  const id = useId();
  useEffect(() => {
    if (!isDirty) return;
    markUnsaved(id, true);
    return () => markUnsaved(id, false);
  }, [isDirty, id]);
}

export function useHasUnsavedEdits(): boolean {
  return useStore({ subscribe: forms.subscribe, get: () => dirty.size > 0 });
}
