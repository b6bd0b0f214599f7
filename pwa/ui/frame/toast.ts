// Messages that no row or field can carry. Success is quiet: a toast only when nothing else on screen shows it.
import { createStore, useStore } from '#pwa/ui/store.ts';

export interface Toast {
  id: number;
  status: 'failed' | 'on' | 'note';
  text: string;
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

export function closeToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useStore(toasts);
}

const mostAtOnce = 3;

function show(status: Toast['status'], text: string): void {
  lastId += 1;
  toasts.set([...toasts.get().filter((toast) => toast.text !== text), { id: lastId, status, text }].slice(-mostAtOnce));
}
