// Registers the service worker and tells when a newer console waits. Nothing is replaced until somebody says so.
import { useSyncExternalStore } from 'react';

const checkEvery = 60 * 60 * 1000;
const listeners = new Set<() => void>();
let waiting: ServiceWorker | null = null;
let lastCheck = Date.now();

/** Never fails: without a service worker the console works, but does not open without a network. */
export async function registerWorker(): Promise<void> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.register('/service-worker.js').catch(() => undefined);
  if (registration === undefined) return;

  watchForUpdate(registration);
  const check = (): void => {
    if (document.visibilityState !== 'visible' || navigator.onLine === false || Date.now() - lastCheck < checkEvery / 4) return;
    lastCheck = Date.now();
    registration.update().catch(() => undefined);
  };
  setInterval(check, checkEvery);
  document.addEventListener('visibilitychange', check);
}

/** True when a newer console has been loaded and waits. */
export function useUpdateWaiting(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting !== null,
  );
}

/** Takes the newer console into use: this page is loaded again. */
export function applyUpdate(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  waiting?.postMessage({ type: 'SKIP_WAITING' });
}

function watchForUpdate(registration: ServiceWorkerRegistration): void {
  const look = (): void => {
    // The first worker ever takes over by itself; only one that would replace another waits for a word.
    if (registration.waiting === null || navigator.serviceWorker.controller === null) return;
    waiting = registration.waiting;
    for (const listener of listeners) listener();
  };
  look();
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look));
}
