// Organisations, members, teams and invitations as the console gets them.
import { commaList } from '#shared/comma-list.ts';
import type { Member, Organisation, OrganisationInvite, Team } from '#shared/organisations.ts';
import { mayInOrganisation, type OrganisationRole } from '#shared/organisation-roles.ts';
import { policyOf } from '#server/accounts/memberships.ts';
import { hasActiveOwner, isActiveOwner } from '#server/accounts/owners.ts';
import { budgetsOf, rateLimitsOf } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import type {
  OrganisationInviteRecord,
  OrganisationMemberRecord,
  OrganisationRecord,
  TeamRecord,
} from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { exactTotal } from '#server/http/paging.ts';
import { balanceOf } from '#server/money/account.ts';
import type { PartOfUsage } from './read-usage.ts';

/** @param role of the reader; undefined for an administrator of the site who is no member */
export async function presentOrganisation(
  { db }: AppContext,
  { organisation, account }: { organisation: OrganisationRecord; account: UserRecord },
  role: OrganisationRole | undefined,
): Promise<Organisation> {
  const { id } = organisation;
  const [members, tokens] = await Promise.all([
    db.collection('organisation_members').count({ organisation_id: id }, exactTotal),
    db.collection('tokens').count({ user_id: id, DeletedAt: null }, exactTotal),
  ]);
  const scim = await scimOf(db, organisation);
  const readsUsage = role === undefined || mayInOrganisation(role, 'usage');
  return {
    id,
    name: organisation.name,
    ...(role === undefined ? {} : { role }),
    members,
    tokens,
    ...(readsUsage ? { quota: balanceOf(account), used_quota: account.used_quota, full_mark: account.full_mark ?? 0 } : {}),
    group: account.group,
    created_time: organisation.created_time,
    policy: policyOf(organisation),
    rate_limits: rateLimitsOf(account),
    budgets: budgetsOf(account),
    domains: commaList(organisation.domains),
    domain_role: organisation.domain_role,
    ...scim,
    ...((await hasActiveOwner(db, id)) ? {} : { is_ownerless: true }),
    status: account.status,
    revision: organisation.revision,
  };
}

async function scimOf(
  db: AppContext['db'],
  { id, scim_hash: hash, scim_since: since = 0, scim_by: by }: OrganisationRecord,
): Promise<Pick<Organisation, 'scim_since' | 'scim_by' | 'scim_ended'>> {
  if (hash === undefined) return { scim_since: 0 };
  const creator = by === undefined ? null : await db.collection('users').get(by);
  if (by === undefined || creator === null) return { scim_since: since };
  return { scim_since: since, scim_by: creator.username, scim_ended: !(await isActiveOwner(db, id, by)) };
}

/** `usage`: of the month; undefined for a reader who may know neither it nor the limits of the member. `manages`: whether the reader sees invitations. */
export function presentMember(
  record: OrganisationMemberRecord,
  { user, tokens, usage, manages }: { user: UserRecord | undefined; tokens: number; usage: PartOfUsage | undefined; manages: boolean },
): Member {
  return {
    user_id: record.user_id,
    username: user?.username ?? '',
    display_name: user?.display_name ?? '',
    email: user?.email ?? '',
    role: record.role,
    team_id: record.team_id,
    is_suspended: record.suspended === true,
    source: record.source,
    ...(manages && record.invited_email !== undefined ? { invited_email: record.invited_email } : {}),
    joined_at: record.joined_at,
    tokens,
    ...(usage === undefined
      ? {}
      : { used_quota: usage.quota, calls: usage.calls, rate_limits: rateLimitsOf(record), budgets: budgetsOf(record) }),
    revision: record.revision,
  };
}

export function presentTeam(
  record: TeamRecord,
  { members, tokens, usage }: { members: number; tokens: number; usage: PartOfUsage | undefined },
): Team {
  return {
    id: record.id,
    name: record.name,
    members,
    tokens,
    ...(usage === undefined ? {} : { used_quota: usage.quota, calls: usage.calls }),
    policy: policyOf(record),
    rate_limits: rateLimitsOf(record),
    budgets: budgetsOf(record),
    revision: record.revision,
  };
}

export function presentInvite(record: OrganisationInviteRecord): OrganisationInvite {
  const { id, email, role, team_id, created_at, expires_at, mail } = record;
  return { id, email, role, team_id, created_at, expires_at, mail, rate_limits: rateLimitsOf(record), budgets: budgetsOf(record) };
}
