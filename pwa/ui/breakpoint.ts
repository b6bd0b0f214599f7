import { useSyncExternalStore } from 'react';

/** The console's one breakpoint: at most 600 px wide is a phone. */
export const phoneQuery = '(max-width: 600px)';

/** True on a phone; follows rotation and resizing. */
export function useIsPhone(): boolean {
  return useMedia(phoneQuery);
}

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => matchMedia(query).matches,
  );
}
