import { useLayoutEffect, useRef } from 'react';
import { useShownScheme } from '#pwa/ui/frame/color-scheme.ts';

/** Puts the scheme onto the page: the tokens switch, and the browser's own bar takes the colour of the ground. */
export function useColorSchemeOnPage(): void {
  const scheme = useShownScheme();
  // Scheme that index.html has set. Reading a colour instead would force a style computation of the whole first screen.
  const shown = useRef(document.documentElement.dataset.mantineColorScheme);
  useLayoutEffect(() => {
    if (shown.current === scheme) return;
    shown.current = scheme;
    document.documentElement.dataset.mantineColorScheme = scheme;
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--bg').trim();
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', colour);
  }, [scheme]);
}
