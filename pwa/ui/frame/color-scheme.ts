// Light, dark, or as the system has it. Remembered under the key that existing clients use; the attribute on the root is
// what tokens.css and the component library switch on. The inline script in index.html sets it before the first paint.
import { createListeners, useStore } from '#pwa/ui/store.ts';
import { useMedia } from './breakpoint.ts';

export type ColorScheme = 'light' | 'dark' | 'auto';

const storageKey = 'theme-mode';
const darkQuery = '(prefers-color-scheme: dark)';
const { subscribe, emit } = createListeners();

export function chosenScheme(): ColorScheme {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

export function chooseScheme(scheme: ColorScheme): void {
  localStorage.setItem(storageKey, scheme);
  emit();
}

/** Calls `listener` on every change, also in another tab. */
export const onSchemeChange = subscribe;

export function useChosenScheme(): ColorScheme {
  return useStore({ subscribe, get: chosenScheme });
}

/** What is drawn. */
export function useShownScheme(): 'light' | 'dark' {
  const chosen = useChosenScheme();
  const isDark = useMedia(darkQuery);
  return chosen === 'auto' ? (isDark ? 'dark' : 'light') : chosen;
}

globalThis.addEventListener?.('storage', (event) => {
  if (event instanceof StorageEvent && (event.key === storageKey || event.key === null)) emit();
});
