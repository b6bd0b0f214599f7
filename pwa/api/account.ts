// The account that the tab acts for, and what the user may do with it.
import { queryOptions } from '@tanstack/react-query';
import { accountApi } from '#shared/account.ts';
import { mayInOrganisation, type OrganisationRight } from '#shared/organisation-roles.ts';
import { actingOrganisation } from './acting.ts';
import { call } from './call.ts';
import { selfQuery } from './self.ts';

const actingAccountQuery = queryOptions({
  queryKey: ['self', 'organisation'],
  queryFn: ({ signal }) => call(accountApi.self, { signal }),
  meta: { offline: true },
});

/** The account that the tab acts for: of the user, or of an organisation, whose balance not every role reads. */
export function accountQuery() {
  return actingOrganisation() === null ? selfQuery : { ...actingAccountQuery, enabled: mayActing('usage') };
}

/** Whether the account is the user's, or the role in the organisation has the right. */
export function mayActing(right: OrganisationRight): boolean {
  const acting = actingOrganisation();
  return acting === null || mayInOrganisation(acting.role, right);
}
