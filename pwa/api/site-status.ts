// Facts of this installation that every screen may need. Kept in local storage as existing clients keep it, so that the
// first paint has the right name and unit without a call.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { SiteStatus, siteApi } from '#shared/site.ts';
import { call } from './call.ts';

const storageKey = 'status';

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => {
    const status = await call(siteApi.status, { signal });
    localStorage.setItem(storageKey, JSON.stringify(status));
    return status;
  },
  initialData: storedStatus,
  // The stored copy is for the first paint only; it is asked again at once.
  initialDataUpdatedAt: 0,
  staleTime: 60_000,
});

/** The status, or undefined before the very first answer on this device. */
export function useSiteStatus(): SiteStatus | undefined {
  return useQuery(statusQuery).data;
}

export function storedStatus(): SiteStatus | undefined {
  try {
    const parsed = SiteStatus.safeParse(JSON.parse(localStorage.getItem(storageKey) ?? 'null'));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
