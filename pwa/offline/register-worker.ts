// Registers the service worker and tells when a newer console waits. Nothing is replaced until somebody says so.
import { useSyncExternalStore } from 'react';
import type { Workbox } from 'workbox-window';

const checkEvery = 60 * 60 * 1000;
const listeners = new Set<() => void>();
let worker: Workbox | undefined;
let isWaiting = false;

export async function registerWorker(): Promise<void> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  // Not part of the first load: the page comes first.
  const { Workbox } = await import('workbox-window');
  worker = new Workbox('/service-worker.js');
  worker.addEventListener('waiting', () => {
    isWaiting = true;
    for (const listener of listeners) listener();
  });
  await worker.register().catch((error: unknown) => console.warn('The console will not open without a network:', error));
  setInterval(() => void checkForUpdate(), checkEvery);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void checkForUpdate();
  });
}

/** True when a newer console has been loaded and waits. */
export function useUpdateWaiting(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isWaiting,
  );
}

/** Takes the newer console into use: this page is loaded again. */
export function applyUpdate(): void {
  worker?.addEventListener('controlling', () => location.reload());
  worker?.messageSkipWaiting();
}

let lastCheck = Date.now();
async function checkForUpdate(): Promise<void> {
  if (Date.now() - lastCheck < checkEvery / 4 || navigator.onLine === false) return;
  lastCheck = Date.now();
  await worker?.update().catch(() => undefined);
}
