// The title of the screen that is open. A screen says it; the shell shows it: in the page head at a desk, in the top bar
// on a phone, and as the window's title.
import { useLayoutEffect } from 'react';
import { createStore, useStore } from '#pwa/ui/store.ts';
import type { Path } from './paths.ts';

export interface Heading {
  title: string;
  /** Where the arrow on a phone leads; without it there is the product's mark. */
  back?: Path;
}

const heading = createStore<Heading>({ title: '' });

export function useHeading(): Heading {
  return useStore(heading);
}

/** Names the open screen. */
export function useScreenHeading(title: string, back?: Path): void {
  useLayoutEffect(() => {
    heading.set(back === undefined ? { title } : { title, back });
  }, [title, back]);
}
