// Reports whether a newer console waits. It replaces this one only after the user confirms.
import { createStore, useStore } from '#pwa/ui/store.ts';

const waiting = createStore(false);
let takeIntoUse: (() => void) | undefined;

/** Never fails: without a service worker the console works, but does not open without a network. */
export async function registerWorker(): Promise<void> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  try {
    const { watchWorker } = await import('./worker-watch.ts');
    takeIntoUse = await watchWorker(() => waiting.set(true));
  } catch {
    return;
  }
}

/** True when a newer console has been loaded and waits. */
export function useUpdateWaiting(): boolean {
  return useStore(waiting);
}

/** Takes the newer console into use: this page is loaded again. */
export function applyUpdate(): void {
  takeIntoUse?.();
}
