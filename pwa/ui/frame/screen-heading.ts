// The title of the screen that is open. A screen says it; the shell shows it: in the page head at a desk, in the top bar
// on a phone, and as the window's title.
import { useLayoutEffect, useSyncExternalStore } from 'react';
import type { Path } from './paths.ts';

export interface Heading {
  title: string;
  /** Where the arrow on a phone leads; without it there is the product's mark. */
  back?: Path;
}

const listeners = new Set<() => void>();
let heading: Heading = { title: '' };

export function useHeading(): Heading {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => heading,
  );
}

/** Names the open screen. */
export function useScreenHeading(title: string, back?: Path): void {
  useLayoutEffect(() => {
    heading = back === undefined ? { title } : { title, back };
    for (const listener of listeners) listener();
  }, [title, back]);
}
