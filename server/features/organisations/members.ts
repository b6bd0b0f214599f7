// Edits of an organisation's members, judged by the role of the editor.
import { AppError } from '#shared/errors.ts';
import type { BodyOf } from '#shared/contract.ts';
import { mayChangeRole, mayInOrganisation } from '#shared/organisation-roles.ts';
import type { organisationApi } from '#shared/organisations.ts';
import { announceOrganisation } from '#server/accounts/announce-organisation.ts';
import { endMembership, type Leaving, memberOf, requireOtherOwner, requireTeam, withOrganisationLock } from '#server/accounts/members.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { OrganisationMemberRecord } from '#server/db/records/organisation.ts';
import type { Reached } from './reach.ts';

type MemberEdit = BodyOf<typeof organisationApi.editMember>;

/** @throws {AppError} `member_unknown`, `organisation_right_missing`, `organisation_last_owner`, `team_unknown`, `revision_conflict` */
export async function editMember(
  context: AppContext,
  reached: Reached,
  userId: number,
  edit: MemberEdit,
): Promise<OrganisationMemberRecord> {
  const [edited] = await editMembers(context, reached, [userId], edit);
  if (edited === undefined) throw new AppError('member_unknown');
  return edited;
}

/**
 * Makes the same change of several members. Checked for all before it is made for one.
 * @throws {AppError} `member_unknown`, `organisation_right_missing`, `organisation_last_owner`, `team_unknown`, `revision_conflict`
 */
export function editMembers(
  context: AppContext,
  reached: Reached,
  userIds: readonly number[],
  edit: MemberEdit,
): Promise<OrganisationMemberRecord[]> {
  const { id: organisationId } = reached.organisation;
  const { team_id: teamId, is_suspended: isSuspended, revision } = edit;
  return withOrganisationLock(context, organisationId, async () => {
    const members: OrganisationMemberRecord[] = [];
    for (const userId of new Set(userIds)) members.push(await memberOf(context, organisationId, userId));
    for (const member of members) requireMayEdit(reached, member, edit);
    await requireOwnerLeft(context, members, edit);
    if (teamId !== undefined && teamId !== 0) await requireTeam(context, organisationId, teamId);
    const edited: OrganisationMemberRecord[] = [];
    for (const { id, role } of members) {
      const one = await editRecord(context, 'organisation_members', {
        id,
        revision,
        change: () => ({
          set: {
            role: edit.role ?? role,
            ...(teamId === undefined ? {} : { team_id: teamId }),
            ...(isSuspended === true ? { suspended: isSuspended } : {}),
            ...storedLimits(edit),
          },
          unset: isSuspended === false ? ['suspended'] : [],
        }),
      });
      if (one === null) throw new AppError('member_unknown');
      edited.push(one.after);
    }
    await announceOrganisation(context, organisationId);
    return edited;
  });
}

function requireMayEdit({ member: { role: actor }, person }: Reached, member: OrganisationMemberRecord, edit: MemberEdit): void {
  if (!mayChangeRole(actor, member.role, edit.role)) throw new AppError('organisation_right_missing', {}, { field: 'role' });
  if (member.user_id === person.id && edit.is_suspended === true) {
    throw new AppError('organisation_right_missing', {}, { field: 'is_suspended' });
  }
}

/** Of the owners who would lose their role or their access, another one has to remain. */
async function requireOwnerLeft(
  context: AppContext,
  members: readonly OrganisationMemberRecord[],
  { role = 'owner', is_suspended: isSuspended }: MemberEdit,
): Promise<void> {
  const leaving = role !== 'owner' || isSuspended === true ? members.filter((member) => member.role === 'owner') : [];
  const [first] = leaving;
  if (first !== undefined) await requireOtherOwner(context, first, leaving);
}

/**
 * Removes a member. Each token goes to `heir`, or to a service account.
 * @param to.heir user id of a member; 0 for service accounts
 * @throws {AppError} `member_unknown`, `organisation_right_missing`, `organisation_last_owner`
 */
export function removeMember(
  context: AppContext,
  { organisation, member: { role: actor }, person }: Reached,
  userId: number,
  { heir, keys }: { heir: number; keys?: Leaving['keys'] },
): Promise<void> {
  return endMembership(context, {
    organisationId: organisation.id,
    userId,
    heir,
    keys,
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
