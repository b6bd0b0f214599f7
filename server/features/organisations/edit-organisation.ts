// Edits of organisations and teams. Limits of the organisation are those of its account.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { isAddressRange } from '#shared/allowed-addresses.ts';
import type { AccessPolicy } from '#shared/access-policy.ts';
import { mostTeams, type organisationApi } from '#shared/organisations.ts';
import type { BodyOf } from '#shared/contract.ts';
import { announceOrganisation } from '#server/accounts/announce-organisation.ts';
import { editAccount } from '#server/accounts/edit-account.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import { addMember, withOrganisationLock } from '#server/accounts/members.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { type Change, editRecord } from '#server/db/edit-record.ts';
import type { OrganisationMemberRecord, OrganisationRecord, TeamRecord } from '#server/db/records/organisation.ts';
import { checkStays } from '#server/settings/group-moves.ts';
import { requireShortList } from './list-bounds.ts';
import { tidyText } from './tidy-text.ts';

/** @throws {AppError} `revision_conflict`, `invalid_field` */
export async function editOrganisation(
  context: AppContext,
  { id }: OrganisationRecord,
  { name, policy, rate_limits, budgets, revision }: BodyOf<typeof organisationApi.edit>,
): Promise<void> {
  const set = {
    ...(name === undefined ? {} : { name: tidyText('name', name) }),
    ...(policy === undefined ? {} : { policy: storedPolicy(policy) }),
  };
  await withEditLock(context, `organisation:${id}`, async () => {
    // Also for limits alone: an editor of an outdated revision is refused before anything is stored.
    await editRecord(context, 'organisations', { id, revision, change: () => ({ set }) });
    const limits = storedLimits({ rate_limits, budgets });
    const account = { ...limits, ...(set.name === undefined ? {} : { display_name: set.name }) };
    if (Object.keys(account).length > 0) await editAccount(context, { id, change: () => ({ set: account }) });
    else await announceOrganisation(context, id);
  });
}

/** What administrators of the site decide. @throws {AppError} `group_unknown` */
export async function manageOrganisation(
  context: AppContext,
  { id }: OrganisationRecord,
  { group, status, domains, domain_role, owner_id, actorId }: BodyOf<typeof organisationApi.manage> & { actorId: number },
): Promise<void> {
  if (group !== undefined) {
    if (context.settings.get('GroupRatio')[group] === undefined) throw new AppError('group_unknown', { group }, { field: 'group' });
    checkStays(context.settings, group);
  }
  const account = { ...(group === undefined ? {} : { group }), ...(status === undefined ? {} : { status }) };
  if (Object.keys(account).length > 0) await editAccount(context, { id, change: () => ({ set: account }) });
  if (owner_id !== undefined) await makeOwner(context, { id, userId: owner_id, actorId });
  if (domains === undefined && domain_role === undefined) return;
  await withEditLock(context, 'organisation-domains', async () => {
    if (domains !== undefined) await checkDomains(context, id, domains);
    const set = {
      ...(domains === undefined ? {} : { domains: [...new Set(domains)].join(',') }),
      ...(domain_role === undefined ? {} : { domain_role }),
    };
    await editRecord(context, 'organisations', { id, change: () => ({ set }) });
  });
}

/** @throws {AppError} `user_not_found`, `organisation_members_limit` */
async function makeOwner(context: AppContext, { id, userId, actorId }: { id: number; userId: number; actorId: number }): Promise<void> {
  const user = await context.db.collection('users').get(userId);
  if (user === null || user.DeletedAt !== null || user.kind !== undefined) throw new AppError('user_not_found', {}, { field: 'owner_id' });
  const member = await addMember(context, id, { user_id: userId, role: 'owner', team_id: 0, source: 'invite', invited_by: actorId });
  await editRecord(context, 'organisation_members', {
    id: member.id,
    change: (): Change<OrganisationMemberRecord> => ({ set: { role: 'owner' }, unset: ['suspended'] }),
  });
  await announceOrganisation(context, id);
}

/** A domain belongs to one organisation. @throws {AppError} `organisation_domain_taken` */
async function checkDomains({ db }: AppContext, id: number, domains: readonly string[]): Promise<void> {
  for await (const other of db.collection('organisations').each({ DeletedAt: null })) {
    const taken = other.id === id ? undefined : other.domains.split(',').find((domain) => domain !== '' && domains.includes(domain));
    if (taken !== undefined) throw new AppError('organisation_domain_taken', { domain: taken }, { field: 'domains' });
  }
}

/** @throws {AppError} `team_limit_reached`, `team_name_taken`, `invalid_field` */
export async function createTeam(
  context: AppContext,
  organisationId: number,
  { name, policy, rate_limits, budgets }: BodyOf<typeof organisationApi.createTeam>,
): Promise<TeamRecord> {
  const { db } = context;
  const team: TeamRecord = {
    id: 0,
    organisation_id: organisationId,
    name: tidyText('name', name),
    policy: storedPolicy(policy ?? {}),
    ...storedLimits({ rate_limits, budgets }),
    created_time: Math.floor(context.now() / 1000),
    revision: 1,
  };
  return withEditLock(context, `organisation:${organisationId}`, async () => {
    if ((await db.collection('teams').count({ organisation_id: organisationId }, mostTeams)) >= mostTeams) {
      throw new AppError('team_limit_reached', { limit: mostTeams });
    }
    await requireShortList(context, 'teams', organisationId, { fields: team });
    const record = { ...team, id: await db.nextId('teams') };
    await withFreeName(() => db.collection('teams').insert(record));
    return record;
  });
}

/** @throws {AppError} `team_unknown`, `team_name_taken`, `revision_conflict`, `invalid_field` */
export async function editTeam(
  context: AppContext,
  { id, organisation_id: organisationId }: { id: number; organisation_id: number },
  { name, policy, rate_limits, budgets, revision }: BodyOf<typeof organisationApi.editTeam>,
): Promise<TeamRecord> {
  const set = {
    ...(name === undefined ? {} : { name: tidyText('name', name) }),
    ...(policy === undefined ? {} : { policy: storedPolicy(policy) }),
    ...storedLimits({ rate_limits, budgets }),
  };
  const edited = await withOrganisationLock(context, organisationId, async () => {
    await requireShortList(context, 'teams', organisationId, { id, fields: set });
    return withFreeName(() =>
      editRecord(context, 'teams', { id, where: { organisation_id: organisationId }, revision, change: () => ({ set }) }),
    );
  });
  if (edited === null) throw new AppError('team_unknown');
  await announceOrganisation(context, organisationId);
  return edited.after;
}

/**
 * Its members, invitations and service accounts stay in the organisation, without a team. What puts something into a team has the same lock.
 * @throws {AppError} `team_unknown`
 */
export function removeTeam(
  context: AppContext,
  { id, organisation_id: organisationId }: { id: number; organisation_id: number },
): Promise<void> {
  return withOrganisationLock(context, organisationId, async () => {
    const { db } = context;
    const team = await db.collection('teams').first({ id, organisation_id: organisationId });
    if (team === null) throw new AppError('team_unknown');
    const without = { set: { team_id: 0 }, increment: { revision: 1 } };
    for (const name of ['organisation_members', 'organisation_invites'] as const)
      await db.collection(name).patchAll({ team_id: id, organisation_id: organisationId }, without);
    await db.collection('tokens').patchAll({ team_id: id, user_id: organisationId }, without);
    await db.collection('teams').remove({ id, organisation_id: organisationId });
    await announceOrganisation(context, organisationId);
  });
}

async function withFreeName<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof UniqueConflict) throw new AppError('team_name_taken', {}, { cause: failure, field: 'name' });
    throw failure;
  }
}

/** @throws {AppError} `invalid_field` for an address that is none */
export function storedPolicy(policy: AccessPolicy): string {
  if (policy.addresses?.every(isAddressRange) === false) throw invalidField('policy.addresses', fieldRules.invalid);
  const given = Object.entries(policy).filter(([, value]) => value !== undefined && value !== false);
  return given.length === 0 ? '' : JSON.stringify(Object.fromEntries(given.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}
