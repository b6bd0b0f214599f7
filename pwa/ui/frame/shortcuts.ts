// Shortcuts of the parts on screen: each part registers its keys, and the list of all shortcuts is built from them.
import { useEffect } from 'react';
import { createStore, useStore } from '#pwa/ui/store.ts';

export interface Shortcut {
  /** As they stand on the keys; `Mod` is Ctrl, or the command key of a Mac. */
  keys: readonly string[];
  /** Key of the text that says what they do. */
  text: string;
}

const registered = createStore<readonly { shortcuts: readonly Shortcut[] }[]>([]);
const help = createStore(false);

/** Registers the keys that a part handles while it is on screen. The array must be a stable reference. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const part = { shortcuts };
    registered.set([...registered.get(), part]);
    return () => registered.set(registered.get().filter((one) => one !== part));
  }, [shortcuts]);
}

/** Of everything that is on screen; the same key of several parts once. */
export function useRegisteredShortcuts(): Shortcut[] {
  const byText = new Map(useStore(registered).flatMap((part) => part.shortcuts.map((shortcut) => [shortcut.text, shortcut] as const)));
  return [...byText.values()];
}

export function showShortcutHelp(isShown: boolean): void {
  help.set(isShown);
}

export function useIsShortcutHelpShown(): boolean {
  return useStore(help);
}

/** How the key that goes with letters is called here. */
export function keyName(key: string): string {
  if (key !== 'Mod') return key;
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
