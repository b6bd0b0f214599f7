// Facts of this installation that every screen may need. Stored in local storage as existing clients do, so that the first paint has the right name
// and unit without a call.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { safeLink } from '#shared/links.ts';
import { SiteStatus, siteApi } from '#shared/site.ts';
import { pageAddress } from '#pwa/ui/base-path.ts';
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
  // The stored copy is for the first paint only; it is refetched at once.
  initialDataUpdatedAt: 0,
  staleTime: 60_000,
});

/** The status, or undefined before the very first answer on this device. */
export function useSiteStatus(): SiteStatus | undefined {
  return useQuery(statusQuery).data;
}

/** Returns why registration is closed; undefined if it is open, also before the first answer. */
export function registrationClosed(status: SiteStatus | undefined): 'closed' | 'no_password' | 'self_use' | undefined {
  if (status === undefined) return undefined;
  if (!status.register_enabled) return 'closed';
  if (status.self_use_mode_enabled) return 'self_use';
  return status.password_register ? undefined : 'no_password';
}

/**
 * Returns the address at which programs reach this installation. Without a set address, the server calls itself `localhost`, which is wrong on every
 * other machine: there, the address of this page is the better guess.
 */
export function siteAddress(status: SiteStatus | undefined): string {
  const told = safeLink(status?.server_address ?? '', 'web');
  return told === undefined || URL.parse(told)?.hostname === 'localhost' ? pageAddress() : told;
}

export function storedStatus(): SiteStatus | undefined {
  try {
    const parsed = SiteStatus.safeParse(JSON.parse(localStorage.getItem(storageKey) ?? 'null'));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
