// Follows the server when it refuses calls on behalf of an organisation.
import type { QueryClient } from '@tanstack/react-query';
import { actFor, actingOrganisation } from '#pwa/api/acting.ts';
import { organisationsQuery } from '#pwa/api/organisations.ts';
import { loadTexts, translate } from '#pwa/i18n/setup.ts';
import { toastNote } from '#pwa/ui/frame/toast.ts';

let isAsking = false;

/** Acts with the role that the user has by now; for the user again if it is none. */
export async function followOrganisation(queryClient: QueryClient): Promise<void> {
  const acting = actingOrganisation();
  if (acting === null || isAsking) return;
  isAsking = true;
  try {
    const mine = await queryClient.fetchQuery({ ...organisationsQuery, staleTime: 0 });
    if (actingOrganisation()?.id !== acting.id) return;
    const now = mine.find(({ id, status }) => id === acting.id && status === 1);
    if (now?.role !== undefined) {
      actFor({ ...now, role: now.role });
      return;
    }
    await loadTexts('acting');
    actFor(null);
    toastNote(translate('acting.left', { name: acting.name }));
  } catch {
    // Without a network: the next refusal requests the list again.
  } finally {
    isAsking = false;
  }
}
