// Messages that no row or field can carry. Success is quiet: a toast only when nothing else on screen shows it.
import { createStore, useStore } from '#pwa/ui/store.ts';

export interface Toast {
  id: number;
  status: 'failed' | 'on' | 'note';
  text: string;
  /** Reverts the action that the text reports. */
  undo?: () => void;
}

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Shows a failed call. A cancelled one says nothing. The same text is not stacked. */
export function toastFailure(failure: { code: string; message: string }): void {
  if (failure.code !== 'cancelled' && failure.message !== '') show('failed', failure.message);
}

export function toastSuccess(text: string): void {
  show('on', text);
}

export function toastNote(text: string): void {
  show('note', text);
}

/** What was done, with the offer to take it back. */
export function toastUndo(text: string, undo: () => void): void {
  show('note', text, undo);
}

/** Takes back what was done last, as long as that is offered. True: there was something. */
export function undoLast(): boolean {
  const last = toasts.get().findLast(({ undo }) => undo !== undefined);
  if (last === undefined) return false;
  pressUndo(last);
  return true;
}

export function pressUndo(toast: Toast): void {
  closeToast(toast.id);
  toast.undo?.();
}

/** Another account must not revert actions of this one. */
export function dropUndos(): void {
  toasts.set(toasts.get().filter(({ undo }) => undo === undefined));
}

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useStore(toasts);
}

const mostAtOnce = 3;

function show(status: Toast['status'], text: string, undo?: () => void): void {
  lastId += 1;
  toasts.set([...toasts.get().filter((toast) => toast.text !== text), { id: lastId, status, text, undo }].slice(-mostAtOnce));
}
