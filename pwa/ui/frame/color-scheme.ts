// Light, dark, or as the system has it. Remembered under the key that existing clients use; the attribute on the root is
// what tokens.css and the component library switch on. The inline script in index.html sets it before the first paint.
import { useSyncExternalStore } from 'react';
import { useMedia } from './breakpoint.ts';

export type ColorScheme = 'light' | 'dark' | 'auto';

const storageKey = 'theme-mode';
const darkQuery = '(prefers-color-scheme: dark)';
const listeners = new Set<() => void>();

export function chosenScheme(): ColorScheme {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

export function chooseScheme(scheme: ColorScheme): void {
  localStorage.setItem(storageKey, scheme);
  emit();
}

/** Calls `listener` on every change, also in another tab. */
export function onSchemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useChosenScheme(): ColorScheme {
  return useSyncExternalStore(onSchemeChange, chosenScheme);
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

function emit(): void {
  for (const listener of listeners) listener();
}
