// Registers the service worker and tells when a newer console waits. Nothing is replaced until somebody says so.
import type { Workbox } from 'workbox-window';
import { createStore, useStore } from '#pwa/ui/store.ts';

const checkEvery = 60 * 60 * 1000;
const waiting = createStore(false);
let workbox: Workbox | undefined;
let lastCheck = Date.now();

/** Never fails: without a service worker the console works, but does not open without a network. */
export async function registerWorker(): Promise<void> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  try {
    // After the first paint: nobody waits for it.
    const { Workbox } = await import('workbox-window');
    const registering = new Workbox('/service-worker.js');
    // The first worker ever takes over by itself; only one that would replace another waits for a word. Also one that was
    // loaded for another tab.
    registering.addEventListener('waiting', () => {
      waiting.set(true);
    });
    workbox = registering;
    await registering.register({ immediate: true });
  } catch {
    return;
  }
  const check = (): void => {
    if (document.visibilityState !== 'visible' || navigator.onLine === false || Date.now() - lastCheck < checkEvery / 4) return;
    lastCheck = Date.now();
    workbox?.update().catch(() => undefined);
  };
  setInterval(check, checkEvery);
  document.addEventListener('visibilitychange', check);
}

/** True when a newer console has been loaded and waits. */
export function useUpdateWaiting(): boolean {
  return useStore(waiting);
}

/** Takes the newer console into use: this page is loaded again. */
export function applyUpdate(): void {
  workbox?.addEventListener('controlling', () => location.reload());
  workbox?.messageSkipWaiting();
}
