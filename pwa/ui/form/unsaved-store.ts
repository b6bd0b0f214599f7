// Which forms hold edits nobody saved. Apart from the form's own part, because the shell asks it too.
import { createListeners, useStore } from '#pwa/ui/store.ts';

const forms = createListeners();
const dirty = new Set<string>();

/** Says whether a form, by its id, holds unsaved edits. */
export function markUnsaved(id: string, isDirty: boolean): void {
  if (isDirty) dirty.add(id);
  else dirty.delete(id);
  forms.emit();
}

export function useHasUnsavedEdits(): boolean {
  return useStore({ subscribe: forms.subscribe, get: () => dirty.size > 0 });
}
