// The account that this tab acts for: the user's, or an organisation's.
import { useSyncExternalStore } from 'react';
import type { Endpoint } from '#shared/contract.ts';
import { organisationHeader } from '#shared/organisation-header.ts';
import type { OrganisationRole } from '#shared/organisation-roles.ts';
import { type ActingChoice, actingChoice, storeActingChoice } from './acting-choice.ts';
import { onStoredUserChange, storedUser } from './stored-user.ts';

/** Returns the organisation on whose behalf this tab acts; null: none. */
export function actingOrganisation(): ActingChoice | null {
  const choice = actingChoice();
  return choice !== null && choice.user === storedUser()?.id ? choice : null;
}

/** Id of that organisation; 0: none. */
export function actingId(): number {
  return actingOrganisation()?.id ?? 0;
}

export function useActing(): ActingChoice | null {
  return useSyncExternalStore(onStoredUserChange, actingOrganisation);
}

/** Acts for an organisation from now on, or for the user again (null). */
export function actFor(organisation: { id: number; name: string; role: OrganisationRole } | null): void {
  const user = storedUser()?.id;
  if (organisation === null || user === undefined) {
    if (actingChoice() !== null) storeActingChoice(null);
    return;
  }
  const { id, name, role } = organisation;
  const before = actingOrganisation();
  if (before?.id === id && before.name === name && before.role === role) return;
  storeActingChoice({ user, id, name, role });
}

/** Returns the header of a call on behalf of the organisation; nothing for calls that concern the user or the site. */
export function actingHeader({ organisation }: Pick<Endpoint, 'organisation'>): Record<string, string> {
  const acting = organisation === undefined ? null : actingOrganisation();
  return acting === null ? {} : { [organisationHeader]: `org-${acting.id}` };
}
