import { use } from 'react';
import { createPortal } from 'react-dom';
import { AgePlace } from './age-place.ts';
import { AsOf } from './as-of.tsx';
import type { QueryLike } from './query-state.tsx';

/** How old what a screen shows is, at its top right: once there is no connection, or after a minute. */
export function ScreenAge({ query }: { query: QueryLike<unknown> }) {
  const place = use(AgePlace);
  if (place === undefined || place === null) return null;
  return createPortal(<AsOf at={query.dataUpdatedAt} isStale={query.error !== null || query.fetchStatus === 'paused'} />, place);
}
