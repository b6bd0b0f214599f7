import { useActing } from '#pwa/api/acting.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { type MenuEntry, menuEntries } from './menu-entries.ts';

/** Entries for the user, or for the role in the organisation on whose behalf the tab acts. */
export function useMenuEntries(): MenuEntry[] {
  return menuEntries(useStoredUser()?.role ?? 0, useSiteStatus(), useActing()?.role);
}
