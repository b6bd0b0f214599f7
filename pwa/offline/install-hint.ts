// Whether the console can be put on the home screen, and the browser's own way to do so.
import { createListeners, useStore } from '#pwa/ui/store.ts';

interface InstallEvent extends Event {
  prompt: () => Promise<void>;
}

const { subscribe, emit } = createListeners();
let offered: InstallEvent | undefined;

function isInstallEvent(event: Event): event is InstallEvent {
  return 'prompt' in event && typeof event.prompt === 'function';
}

globalThis.addEventListener?.('beforeinstallprompt', (event) => {
  if (!isInstallEvent(event)) return;
  // The console offers it in its own menu, where it does not interrupt.
  event.preventDefault();
  offered = event;
  emit();
});
globalThis.addEventListener?.('appinstalled', () => {
  offered = undefined;
  emit();
});

export type InstallWay = 'prompt' | 'share_menu' | 'none';

/** `prompt`: the browser shows its dialog; `share_menu`: iOS, where only the share menu can install; `none`: installed or not possible. */
export function useInstallWay(): InstallWay {
  return useStore({
    subscribe,
    get: () => {
      if (matchMedia('(display-mode: standalone)').matches) return 'none';
      if (offered !== undefined) return 'prompt';
      return /iPhone|iPad/.test(navigator.userAgent) ? 'share_menu' : 'none';
    },
  });
}

export async function install(): Promise<void> {
  await offered?.prompt();
  offered = undefined;
  emit();
}
