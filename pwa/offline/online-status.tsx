// Distinguishes three states: connected, no network, and a network without our server.
import { onlineManager } from '@tanstack/react-query';
import { siteApi } from '#shared/site.ts';
import { call } from '#pwa/api/call.ts';
import { onOutcome } from '#pwa/api/outcomes.ts';
import { createStore, useStore } from '#pwa/ui/store.ts';

export type Connection = 'online' | 'offline' | 'server_away';

const firstPause = 3000;
const longestPause = 30_000;
const connection = createStore<Connection>('online');
let lastAnswerAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let pause = firstPause;

/** Listens to the browser and to the outcome of every call. Called once at start; gives the way to stop. */
export function watchConnection(): () => void {
  setConnection(navigator.onLine === false ? 'offline' : 'online');
  const handleOffline = (): void => setConnection('offline');
  // The browser's word that there is a network is only a reason to try.
  const handleOnline = (): void => {
    setConnection('online');
    void probe();
  };
  const handleVisible = (): void => {
    if (document.visibilityState === 'visible' && connection.get() === 'server_away') void probe();
  };
  addEventListener('offline', handleOffline);
  addEventListener('online', handleOnline);
  document.addEventListener('visibilitychange', handleVisible);
  const stopListening = onOutcome((outcome) => {
    if (outcome === 'answered') {
      lastAnswerAt = Date.now();
      setConnection('online');
    } else if (outcome === 'unreachable') setConnection('server_away');
    else if (outcome === 'offline') setConnection('offline');
  });
  return () => {
    removeEventListener('offline', handleOffline);
    removeEventListener('online', handleOnline);
    document.removeEventListener('visibilitychange', handleVisible);
    stopListening();
    stopProbing();
  };
}

export const currentConnection = connection.get;

export const onConnectionChange = connection.subscribe;

export function useConnection(): Connection {
  return useStore(connection);
}

/** True when a call may be tried at all. With a silent server it may: it could be back. */
export function useIsOnline(): boolean {
  return useConnection() !== 'offline';
}

/** When the server last answered on this page, in milliseconds since 1970; 0: not yet. */
export function lastAnswer(): number {
  return lastAnswerAt;
}

/** Sends a health check to the server; the outcome sets the connection. */
export async function probe(): Promise<void> {
  stopProbing();
  try {
    await call(siteApi.status, { timeout: 8000 });
  } catch {
    // The outcome has been reported; nothing else to do here.
  }
}

function setConnection(next: Connection): void {
  if (next === 'server_away') scheduleProbe();
  else {
    stopProbing();
    pause = firstPause;
  }
  if (next === connection.get()) return;
  // Queries pause while there is no network and resume, refreshed, afterwards. An unreachable server is still polled: queries fail, report it and
  // retain their data.
  onlineManager.setOnline(next !== 'offline');
  connection.set(next);
}

/** However many calls fail at once, the server is probed at growing intervals. */
function scheduleProbe(): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    pause = Math.min(pause * 2, longestPause);
    // A hidden page probes when it becomes visible.
    if (document.visibilityState === 'visible') void probe();
  }, pause);
}

function stopProbing(): void {
  clearTimeout(timer);
  timer = undefined;
}
