// Roles of an organisation's members, and what each may do.

export const organisationRoles = ['owner', 'administrator', 'developer', 'billing', 'reader'] as const;
export type OrganisationRole = (typeof organisationRoles)[number];

/**
 * What calls on behalf of an organisation need: `member`: any role; `keys`: tokens; `usage`: usage and log of the whole organisation; `billing`: wallet,
 * orders, statements; `manage`: members, teams, limits, settings; `own`: owners, and the end of the organisation.
 */
export type OrganisationRight = 'member' | 'keys' | 'usage' | 'billing' | 'manage' | 'own';

const rights: Readonly<Record<OrganisationRole, readonly OrganisationRight[]>> = {
  owner: ['member', 'keys', 'usage', 'billing', 'manage', 'own'],
  administrator: ['member', 'keys', 'usage', 'billing', 'manage'],
  developer: ['member', 'keys'],
  billing: ['member', 'usage', 'billing'],
  reader: ['member', 'usage'],
};

export function mayInOrganisation(role: OrganisationRole, right: OrganisationRight): boolean {
  return rights[role].includes(right);
}

/** Whether the role reaches tokens of other members, and of service accounts. A developer reaches the own ones. */
export function reachesAllKeys(role: OrganisationRole): boolean {
  return mayInOrganisation(role, 'manage');
}

/** Whether someone of role `actor` may give a member of role `from` the role `to`, or remove it. */
export function mayChangeRole(actor: OrganisationRole, from: OrganisationRole, to: OrganisationRole = from): boolean {
  if (actor === 'owner') return true;
  return actor === 'administrator' && from !== 'owner' && to !== 'owner';
}
