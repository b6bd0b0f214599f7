// Members of an organisation: their roles, and how they leave. Their tokens are handed over before.
import { AppError } from '#shared/errors.ts';
import type { BodyOf } from '#shared/contract.ts';
import { mayChangeRole, mayInOrganisation, type OrganisationRole } from '#shared/organisation-roles.ts';
import { mostMembers, type organisationApi } from '#shared/organisations.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { OrganisationMemberRecord } from '#server/db/records/organisation.ts';
import { handOverToken } from '#server/features/tokens/of-users/move-token.ts';
import { announce } from './announce.ts';
import type { Reached } from './reach.ts';

/** @throws {AppError} `member_unknown`, `organisation_right_missing`, `organisation_last_owner`, `team_unknown`, `revision_conflict` */
export function editMember(
  context: AppContext,
  { organisation, member: { role: actor }, person }: Reached,
  userId: number,
  edit: BodyOf<typeof organisationApi.editMember>,
): Promise<OrganisationMemberRecord> {
  const { id: organisationId } = organisation;
  return withEditLock(context, `organisation:${organisationId}`, async () => {
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
    await announce(context, organisationId);
    return edited.after;
  });
}

/**
 * Removes a member. Each token goes to `heir`, or to a service account. What a removal that was cut short leaves is done by the same removal made again.
 * @param heir user id of a member; 0 for service accounts
 * @throws {AppError} `member_unknown`, `organisation_right_missing`, `organisation_last_owner`
 */
export function removeMember(
  context: AppContext,
  { organisation, member: { role: actor }, person }: Reached,
  userId: number,
  heir: number,
): Promise<void> {
  const { id: organisationId } = organisation;
  return withEditLock(context, `organisation:${organisationId}`, async () => {
    const member = await context.db.collection('organisation_members').first({ organisation_id: organisationId, user_id: userId });
    if (member !== null) {
      if (userId !== person.id && !mayInOrganisation(actor, 'manage')) throw new AppError('organisation_right_missing');
      if (userId !== person.id && !mayChangeRole(actor, member.role)) throw new AppError('organisation_right_missing');
      if (member.role === 'owner') await requireOtherOwner(context, member);
    } else if (!mayInOrganisation(actor, 'manage')) throw new AppError('member_unknown');
    if (heir !== 0) {
      if (heir === userId) throw new AppError('member_unknown', {}, { field: 'hand_over_to' });
      await memberOf(context, organisationId, heir, 'hand_over_to');
    }
    const tokens = await context.db.collection('tokens').find({ user_id: organisationId, member_id: userId, DeletedAt: null });
    if (member === null && tokens.length === 0) throw new AppError('member_unknown');
    for (const { id } of tokens) {
      await handOverToken(context, {
        id,
        actor: person,
        owner: await accountOf(context, organisationId),
        standing: { member_id: heir, team_id: heir === 0 ? (member?.team_id ?? 0) : 0 },
      });
    }
    if (member !== null) await context.db.collection('organisation_members').remove({ id: member.id });
    await announce(context, organisationId);
  });
}

/**
 * Adds a member; returns the existing one if there is one.
 * @throws {AppError} `organisation_members_limit`
 */
export function addMember(
  context: AppContext,
  organisationId: number,
  given: Pick<OrganisationMemberRecord, 'user_id' | 'role' | 'team_id' | 'source' | 'invited_by'> & { external_id?: string },
): Promise<OrganisationMemberRecord> {
  const members = context.db.collection('organisation_members');
  return withEditLock(context, `organisation:${organisationId}`, async () => {
    const known = await members.first({ organisation_id: organisationId, user_id: given.user_id });
    if (known !== null) return known;
    if ((await members.count({ organisation_id: organisationId }, mostMembers)) >= mostMembers) {
      throw new AppError('organisation_members_limit', { limit: mostMembers });
    }
    const team =
      given.team_id === 0 ? null : await context.db.collection('teams').first({ id: given.team_id, organisation_id: organisationId });
    const record: OrganisationMemberRecord = {
      ...given,
      // The team of an invitation may have been deleted since.
      team_id: team?.id ?? 0,
      id: await context.db.nextId('organisation_members'),
      organisation_id: organisationId,
      joined_at: Math.floor(context.now() / 1000),
      revision: 1,
    };
    await members.insert(record);
    return record;
  });
}

async function memberOf({ db }: AppContext, organisationId: number, userId: number, field?: string): Promise<OrganisationMemberRecord> {
  const member = await db.collection('organisation_members').first({ organisation_id: organisationId, user_id: userId });
  if (member === null) throw new AppError('member_unknown', {}, field === undefined ? {} : { field });
  return member;
}

async function requireOtherOwner({ db }: AppContext, { id, organisation_id }: OrganisationMemberRecord): Promise<void> {
  const role: OrganisationRole = 'owner';
  const other = await db.collection('organisation_members').first({ organisation_id, role, id: { ne: id }, suspended: { exists: false } });
  if (other === null) throw new AppError('organisation_last_owner');
}

async function requireTeam({ db }: AppContext, organisationId: number, id: number): Promise<void> {
  if ((await db.collection('teams').first({ id, organisation_id: organisationId })) === null) {
    throw new AppError('team_unknown', {}, { field: 'team_id' });
  }
}

async function accountOf({ db }: AppContext, id: number) {
  const account = await db.collection('users').get(id);
  if (account === null) throw new AppError('organisation_unknown');
  return account;
}
