// What the policies of an organisation and its teams leave of a call's rights.
import type { AccessPolicy } from '#shared/access-policy.ts';
import { countedOwner } from '#server/accounts/owners.ts';
import { UserStatus } from '#shared/user.ts';
import type { Database } from '#server/db/database.ts';
import type { OrganisationMemberRecord, OrganisationRecord, TeamRecord } from '#server/db/records/organisation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { readMember } from '#server/http/membership.ts';

/** The organisation of a token, with the member and the team that it belongs to; null for service accounts, and for none. */
export interface Standing {
  organisation: OrganisationRecord;
  member: OrganisationMemberRecord | null;
  team: TeamRecord | null;
  /** Owner with whom the organisation counts where the site limits each user. Undefined without an active one, where its keys stop. */
  ownerId?: number;
}

/** Account that is an organisation. */
export function isOrganisation({ kind }: Pick<UserRecord, 'kind'>): boolean {
  return kind === 'organisation';
}

/**
 * Returns the standing of a token of an organisation; null if its organisation or its member is gone or suspended, or the member's account banned: the
 * organisation may hand the key over.
 */
export async function readStanding(
  db: Database,
  { user_id: id, member_id: memberId = 0, team_id: tokenTeam = 0 }: { user_id: number; member_id?: number; team_id?: number },
): Promise<Standing | null> {
  const [organisation, member, person] = await Promise.all([
    db.collection('organisations').get(id),
    memberId === 0 ? null : readMember(db, id, memberId),
    memberId === 0 ? null : db.collection('users').get(memberId),
  ]);
  if (organisation === null || organisation.DeletedAt !== null) return null;
  if (memberId !== 0 && (member === null || person === null || person.DeletedAt !== null || person.status !== UserStatus.active))
    return null;
  const teamId = member?.team_id ?? tokenTeam;
  const team = teamId === 0 ? null : await db.collection('teams').first({ id: teamId, organisation_id: id });
  const ownerId = await countedOwner(db, organisation);
  return { organisation, member, team, ...(ownerId === undefined ? {} : { ownerId }) };
}

export function policyOf({ policy }: { policy: string }): AccessPolicy {
  if (policy === '') return {};
  const parsed: AccessPolicy = JSON.parse(policy);
  return parsed;
}

/** Policies that bind a token as they are stored, the widest first. */
export function policiesOf({ organisation, team }: Standing): string[] {
  return team === null ? [organisation.policy] : [organisation.policy, team.policy];
}
