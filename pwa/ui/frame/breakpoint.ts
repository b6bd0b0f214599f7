import { useSyncExternalStore } from 'react';

/** At most 600 px wide is a phone; up to 1100 px a tablet, touched by fingers too; beyond, a desk. */
const phoneQuery = '(max-width: 600px)';
const tabletQuery = '(min-width: 601px) and (max-width: 1100px)';

/** True on a phone; follows rotation and resizing. */
export function useIsPhone(): boolean {
  return useMedia(phoneQuery);
}

export function useIsTablet(): boolean {
  return useMedia(tabletQuery);
}

/** True where fingers press and filters stand behind one button. */
export function useIsTouched(): boolean {
  return useMedia('(max-width: 1100px)');
}

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = mediaOf(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => mediaOf(query).matches,
  );
}

/** One entry per query: a list reads the query in every cell. */
const known = new Map<string, { made: typeof matchMedia; media: MediaQueryList }>();

function mediaOf(query: string): MediaQueryList {
  const entry = known.get(query);
  // Tests put another `matchMedia` in its place.
  if (entry?.made === matchMedia) return entry.media;
  const media = matchMedia(query);
  known.set(query, { made: matchMedia, media });
  return media;
}
