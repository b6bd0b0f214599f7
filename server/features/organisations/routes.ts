import { AppError } from '#shared/errors.ts';
import { mayInOrganisation, type OrganisationRight } from '#shared/organisation-roles.ts';
import { type Member, type Organisation, organisationApi, type Team } from '#shared/organisations.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import { editRecord } from '#server/db/edit-record.ts';
import type { OrganisationMemberRecord, TeamRecord } from '#server/db/records/organisation.ts';
import { type Caller, signedIn } from '#server/http/call.ts';
import { withOrganisationLock } from '#server/accounts/members.ts';
import { requireAboveOwners } from '#server/accounts/owners.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import { exactTotal, pageBounds, pageResponse } from '#server/http/paging.ts';
import { createTeam, editOrganisation, editTeam, manageOrganisation, removeTeam } from './edit-organisation.ts';
import { endOrganisation, foundOrganisation } from './found-organisation.ts';
import { acceptInvite, findInvite, invite } from './invites.ts';
import { editMember, editMembers, removeMember } from './members.ts';
import { presentInvite, presentMember, presentOrganisation, presentTeam } from './present.ts';
import { reach, type Reached, readOrganisation, requireActive } from './reach.ts';
import { type PartOfUsage, sumBy, thisMonth, tokensOf, usageByToken } from './read-usage.ts';
import { transferQuota } from './transfer-quota.ts';
import { readUsageParts, usersById } from './usage-parts.ts';

const scimTokenLength = 48;

interface OrganisationCall {
  context: AppContext;
  caller: Caller | null;
  params: { id: string };
}

export function mountOrganisations(host: RouteHost): void {
  mountLists(host);
  mountOne(host);
  mountMembers(host);
  mountTeams(host);
  mountInvites(host);
  mountScim(host);
  mountReading(host, organisationApi.usage, async (call) => readUsageParts(call.context, await reached(call, 'member'), call.query));
}

function reached(call: OrganisationCall, right: OrganisationRight): Promise<Reached> {
  return reach(call, Number(call.params.id), right);
}

function present(context: AppContext, { organisation, account, member }: Reached): Promise<Organisation> {
  return presentOrganisation(context, { organisation, account }, member.role);
}

/** As it is now. */
async function again(call: OrganisationCall): Promise<Organisation> {
  return present(call.context, await reached(call, 'member'));
}

function mountLists(host: RouteHost): void {
  mount(host, organisationApi.list, async ({ context, ...call }) => {
    const { user } = signedIn(call);
    const members = await context.db
      .collection('organisation_members')
      .find({ user_id: user.id, suspended: { exists: false } }, { sort: [['id', 1]], limit: 200 });
    const list = await Promise.all(
      members.map(({ organisation_id: id }) =>
        reach({ context, caller: signedIn(call) }, id, 'member').then(
          (one) => present(context, one),
          () => null,
        ),
      ),
    );
    return list.filter((one) => one !== null);
  });
  mount(host, organisationApi.listAll, async ({ context, query }) => {
    const bounds = pageBounds(query);
    const filter = { DeletedAt: null, ...(query.keyword === undefined ? {} : { name: { contains: query.keyword } }) };
    const organisations = context.db.collection('organisations');
    const total = await organisations.count(filter, exactTotal + 1);
    const records = await organisations.find(filter, { sort: [['id', -1]], skip: bounds.skip, limit: bounds.size });
    const accounts = await usersById(
      context,
      records.map(({ id }) => id),
    );
    const items = records.flatMap((organisation) => {
      const account = accounts.get(organisation.id);
      return account === undefined ? [] : [presentOrganisation(context, { organisation, account }, undefined)];
    });
    return pageResponse(await Promise.all(items), bounds, total);
  });
  mount(host, organisationApi.create, async (call) => {
    const { id } = await foundOrganisation(call.context, signedIn(call).user, call.body);
    return present(call.context, await reach(call, id, 'member'));
  });
}

function mountOne(host: RouteHost): void {
  mount(host, organisationApi.read, again);
  mount(host, organisationApi.edit, async (call) => {
    const { organisation } = await reached(call, 'manage');
    await editOrganisation(call.context, organisation, call.body);
    return again(call);
  });
  mount(host, organisationApi.manage, async (call) => {
    const id = Number(call.params.id);
    const { organisation, account } = await readOrganisation(call.context, id);
    const { user: actor } = signedIn(call);
    await requireAboveOwners(call.context, actor, account, true);
    await manageOrganisation(call.context, organisation, { ...call.body, actorId: actor.id });
    return presentOrganisation(call.context, await readOrganisation(call.context, id), undefined);
  });
  mount(host, organisationApi.remove, async (call) => {
    const { organisation, person } = await reached(call, 'own');
    await endOrganisation(call.context, organisation, person.id);
    return undefined;
  });
  mount(host, organisationApi.fund, async (call) => {
    const { amount, direction, ref } = call.body;
    const right = direction === 'out' ? 'own' : 'member';
    const { organisation, person } = await reached(call, right);
    const [from, to] = direction === 'out' ? [organisation.id, person.id] : [person.id, organisation.id];
    await withOrganisationLock(call.context, organisation.id, async () => {
      requireActive(await reached(call, right));
      await transferQuota(call.context, { from, to, amount, actorId: person.id, ref });
    });
    return again(call);
  });
}

function mountScim(host: RouteHost): void {
  mount(host, organisationApi.newScimToken, async (call) => {
    const { organisation, person } = await reached(call, 'own');
    const { context } = call;
    const token = context.randomText(scimTokenLength);
    const set = { scim_hash: context.secrets.hash(`scim:${token}`), scim_since: Math.floor(context.now() / 1000), scim_by: person.id };
    await editRecord(context, 'organisations', { id: organisation.id, change: () => ({ set }) });
    return { token };
  });
  mount(host, organisationApi.endScimToken, async (call) => {
    const { organisation } = await reached(call, 'own');
    await editRecord(call.context, 'organisations', {
      id: organisation.id,
      change: () => ({ set: {}, unset: ['scim_hash', 'scim_since', 'scim_by'] }),
    });
    return undefined;
  });
}

function mountMembers(host: RouteHost): void {
  mountReading(host, organisationApi.members, async (call) => {
    const one = await reached(call, 'member');
    const { context, query } = call;
    const bounds = pageBounds(query);
    const filter: Filter<OrganisationMemberRecord> = { organisation_id: one.organisation.id, ...(await named(context, query.keyword)) };
    const members = context.db.collection('organisation_members');
    const total = await members.count(filter, exactTotal + 1);
    const records = await members.find(filter, { sort: [['id', 1]], skip: bounds.skip, limit: bounds.size });
    return pageResponse(await presentMembers(context, one, records), bounds, total);
  });
  mount(host, organisationApi.editMember, async (call) => {
    const one = await reached(call, 'manage');
    const [member] = await presentMembers(call.context, one, [await editMember(call.context, one, Number(call.params.user), call.body)]);
    if (member === undefined) throw new AppError('member_unknown');
    return member;
  });
  mount(host, organisationApi.editMembers, async (call) => {
    const one = await reached(call, 'manage');
    const { user_ids: userIds, ...edit } = call.body;
    return presentMembers(call.context, one, await editMembers(call.context, one, userIds, edit));
  });
  mount(host, organisationApi.removeMember, async (call) => {
    const one = await reached(call, 'member');
    const heir = call.query.hand_over_to ?? '0';
    if (!/^\d{1,15}$/.test(heir)) throw new AppError('member_unknown', {}, { field: 'hand_over_to' });
    await removeMember(call.context, one, Number(call.params.user), { heir: Number(heir), keys: call.query.keys });
    return undefined;
  });
}

/** The member of that username; no partial names. */
async function named({ db }: AppContext, keyword: string | undefined): Promise<Filter<OrganisationMemberRecord>> {
  if (keyword === undefined) return {};
  const user = await db.collection('users').first({ username: keyword });
  return { user_id: user?.id ?? -1 };
}

async function presentMembers(context: AppContext, one: Reached, records: readonly OrganisationMemberRecord[]): Promise<Member[]> {
  const { id } = one.organisation;
  const users = await usersById(
    context,
    records.map(({ user_id: userId }) => userId),
  );
  // A developer reads the own part.
  const readsAll = mayInOrganisation(one.member.role, 'usage');
  const reads = ({ user_id: userId }: OrganisationMemberRecord): boolean => readsAll || userId === one.person.id;
  const usage = records.some(reads) ? await monthBy(context, id, (token) => token?.member_id ?? 0) : new Map<number, PartOfUsage>();
  return Promise.all(
    records.map(async (record) =>
      presentMember(record, {
        user: users.get(record.user_id),
        tokens: await context.db.collection('tokens').count({ member_id: record.user_id, user_id: id, DeletedAt: null }, exactTotal),
        usage: reads(record) ? (usage.get(record.user_id) ?? noUsage) : undefined,
        manages: mayInOrganisation(one.member.role, 'manage'),
      }),
    ),
  );
}

const noUsage: PartOfUsage = { calls: 0, tokens: 0, quota: 0 };

async function monthBy(context: AppContext, id: number, keyOf: Parameters<typeof sumBy<number>>[2]): Promise<Map<number, PartOfUsage>> {
  const parts = await usageByToken(context, id, thisMonth(context));
  return sumBy(parts, await tokensOf(context, id, parts.keys()), keyOf);
}

function mountTeams(host: RouteHost): void {
  mountReading(host, organisationApi.teams, async (call) => {
    const one = await reached(call, 'member');
    const teams = await call.context.db
      .collection('teams')
      .find({ organisation_id: one.organisation.id }, { sort: [['name', 1]], limit: 1000 });
    return presentTeams(call.context, one, teams);
  });
  mount(host, organisationApi.createTeam, async (call) => {
    const one = await reached(call, 'manage');
    return onlyTeam(await presentTeams(call.context, one, [await createTeam(call.context, one.organisation.id, call.body)]));
  });
  mount(host, organisationApi.editTeam, async (call) => {
    const one = await reached(call, 'manage');
    const team = { id: Number(call.params.team), organisation_id: one.organisation.id };
    return onlyTeam(await presentTeams(call.context, one, [await editTeam(call.context, team, call.body)]));
  });
  mount(host, organisationApi.removeTeam, async (call) => {
    const { organisation } = await reached(call, 'manage');
    await removeTeam(call.context, { id: Number(call.params.team), organisation_id: organisation.id });
    return undefined;
  });
}

function onlyTeam([team]: Team[]): Team {
  if (team === undefined) throw new AppError('team_unknown');
  return team;
}

async function presentTeams(
  context: AppContext,
  { organisation: { id }, member: { role } }: Reached,
  teams: readonly TeamRecord[],
): Promise<Team[]> {
  const { db } = context;
  const memberTeams = new Map<number, number>();
  const counts = new Map<number, number>();
  for await (const member of db.collection('organisation_members').each({ organisation_id: id })) {
    memberTeams.set(member.user_id, member.team_id);
    counts.set(member.team_id, (counts.get(member.team_id) ?? 0) + 1);
  }
  const usage = mayInOrganisation(role, 'usage')
    ? await monthBy(context, id, (token) => token?.team_id || (memberTeams.get(token?.member_id ?? 0) ?? 0))
    : null;
  return Promise.all(
    teams.map(async (team) =>
      presentTeam(team, {
        members: counts.get(team.id) ?? 0,
        tokens: await db.collection('tokens').count({ team_id: team.id, user_id: id, DeletedAt: null }, exactTotal),
        usage: usage === null ? undefined : (usage.get(team.id) ?? noUsage),
      }),
    ),
  );
}

function mountInvites(host: RouteHost): void {
  mount(host, organisationApi.invites, async (call) => {
    const { organisation } = await reached(call, 'manage');
    const open = { organisation_id: organisation.id, expires_at: { gte: Math.floor(call.context.now() / 1000) } };
    const invites = await call.context.db.collection('organisation_invites').find(open, { sort: [['id', -1]], limit: 500 });
    return invites.map(presentInvite);
  });
  mount(host, organisationApi.invite, async (call) => {
    const { invites, ...links } = await invite(call.context, await reached(call, 'manage'), call.body, call.facts.language);
    return { invites: invites.map(presentInvite), ...links };
  });
  mount(host, organisationApi.withdraw, async (call) => {
    const { organisation } = await reached(call, 'manage');
    const removed = await call.context.db
      .collection('organisation_invites')
      .remove({ id: Number(call.params.invite), organisation_id: organisation.id });
    if (removed === 0) throw new AppError('not_found');
    return undefined;
  });
  mount(host, organisationApi.openInvite, async ({ context, facts, body }) => {
    const found = await findInvite(context, facts, body.token);
    const [organisation, inviter] = await Promise.all([
      context.db.collection('organisations').get(found.organisation_id),
      context.db.collection('users').get(found.created_by),
    ]);
    if (organisation === null || organisation.DeletedAt !== null) throw new AppError('organisation_invite_invalid');
    const name = inviter === null ? '' : inviter.display_name === '' ? inviter.username : inviter.display_name;
    return { organisation: organisation.name, inviter: name, role: found.role, expires_at: found.expires_at };
  });
  mount(host, organisationApi.join, async (call) => {
    const found = await findInvite(call.context, call.facts, call.body.token);
    await acceptInvite(call.context, signedIn(call).user, found);
    const one = await reach(call, found.organisation_id, 'member');
    return presentOrganisation(call.context, one, one.member.role);
  });
}
