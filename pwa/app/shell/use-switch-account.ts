import { useRouter } from '@tanstack/react-router';
import type { OrganisationRole } from '#shared/organisation-roles.ts';
import { actFor } from '#pwa/api/acting.ts';
import { hasUnsavedEdits } from '#pwa/ui/form/unsaved-store.ts';

/** Returns the function that acts for an organisation, or for the user again (null), and opens its first screen. Unsaved edits need a confirmation. */
export function useSwitchAccount() {
  const router = useRouter();
  return async (organisation: { id: number; name: string; role: OrganisationRole } | null): Promise<void> => {
    if (hasUnsavedEdits()) {
      await router.navigate({ to: '/organisations' });
      if (router.state.location.pathname !== '/organisations') return;
    }
    actFor(organisation);
    await (organisation === null
      ? router.navigate({ to: '/' })
      : router.navigate({ to: '/organisation/$id', params: { id: String(organisation.id) } }));
  };
}
