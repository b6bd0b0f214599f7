// Edits of an organisation's members, judged by the role of the editor.
import { AppError } from '#shared/errors.ts';
import type { BodyOf } from '#shared/contract.ts';
import { mayChangeRole, mayInOrganisation } from '#shared/organisation-roles.ts';
import type { organisationApi } from '#shared/organisations.ts';
import { announceOrganisation, endMembership, memberOf, requireOtherOwner, withOrganisationLock } from '#server/accounts/members.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { OrganisationMemberRecord } from '#server/db/records/organisation.ts';
import type { Reached } from './reach.ts';

/** @throws {AppError} `member_unknown`, `organisation_right_missing`, `organisation_last_owner`, `team_unknown`, `revision_conflict` */
export function editMember(
  context: AppContext,
  { organisation, member: { role: actor }, person }: Reached,
  userId: number,
  edit: BodyOf<typeof organisationApi.editMember>,
): Promise<OrganisationMemberRecord> {
  const { id: organisationId } = organisation;
  return withOrganisationLock(context, organisationId, async () => {
    const member = await memberOf(context, organisationId, userId);
    const { role = member.role, team_id: teamId, is_suspended: isSuspended, revision } = edit;
    if (!mayChangeRole(actor, member.role, role)) throw new AppError('organisation_right_missing', {}, { field: 'role' });
    if (userId === person.id && isSuspended === true) throw new AppError('organisation_right_missing', {}, { field: 'is_suspended' });
    if (member.role === 'owner' && (role !== 'owner' || isSuspended === true)) await requireOtherOwner(context, member);
    if (teamId !== undefined && teamId !== 0) await requireTeam(context, organisationId, teamId);
    const edited = await editRecord(context, 'organisation_members', {
      id: member.id,
      revision,
      change: () => ({
        set: {
          role,
          ...(teamId === undefined ? {} : { team_id: teamId }),
          ...(isSuspended === true ? { suspended: isSuspended } : {}),
          ...storedLimits(edit),
        },
        unset: isSuspended === false ? ['suspended'] : [],
      }),
    });
    if (edited === null) throw new AppError('member_unknown');
    await announceOrganisation(context, organisationId);
    return edited.after;
  });
}

/**
 * Removes a member. Each token goes to `heir`, or to a service account.
 * @param heir user id of a member; 0 for service accounts
 * @throws {AppError} `member_unknown`, `organisation_right_missing`, `organisation_last_owner`
 */
export function removeMember(
  context: AppContext,
  { organisation, member: { role: actor }, person }: Reached,
  userId: number,
  heir: number,
): Promise<void> {
  return endMembership(context, {
    organisationId: organisation.id,
    userId,
    heir,
    actorId: person.id,
    check(member) {
      if (member === null) {
        if (!mayInOrganisation(actor, 'manage')) throw new AppError('member_unknown');
        return;
      }
      if (userId === person.id) return;
      if (!mayInOrganisation(actor, 'manage') || !mayChangeRole(actor, member.role)) throw new AppError('organisation_right_missing');
    },
  });
}

async function requireTeam({ db }: AppContext, organisationId: number, id: number): Promise<void> {
  if ((await db.collection('teams').first({ id, organisation_id: organisationId })) === null) {
    throw new AppError('team_unknown', {}, { field: 'team_id' });
  }
}
