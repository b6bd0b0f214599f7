// Registers the service worker and checks for a newer one from time to time. Loaded after the first paint, which must not wait for it.
import { Workbox } from 'workbox-window';
import { atBase } from '#pwa/ui/base-path.ts';

const checkEvery = 60 * 60 * 1000;

/** Calls `onWaiting` when a newer console has been loaded, by this tab or another. Gives what takes it into use. */
export async function watchWorker(onWaiting: () => void): Promise<() => void> {
  const workbox = new Workbox(atBase('/service-worker.js'));
  // The first worker ever takes over by itself; only one that would replace another waits for a word.
  workbox.addEventListener('waiting', onWaiting);
  await workbox.register({ immediate: true });
  let lastCheck = Date.now();
  const check = (): void => {
    if (document.visibilityState !== 'visible' || navigator.onLine === false || Date.now() - lastCheck < checkEvery / 4) return;
    lastCheck = Date.now();
    workbox.update().catch(() => undefined);
  };
  setInterval(check, checkEvery);
  document.addEventListener('visibilitychange', check);
  return () => {
    workbox.addEventListener('controlling', () => location.reload());
    workbox.messageSkipWaiting();
  };
}
