// Membership in organisations: how people join and leave. The keys of those who leave are handed over before. Apart from the organisations' calls, because
// the end of an account, a sign-in and SCIM change memberships, too.
import { AppError } from '#shared/errors.ts';
import { mostMembers } from '#shared/organisations.ts';
import { TokenStatus } from '#shared/tokens.ts';
import { UserStatus } from '#shared/user.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import { announceOrganisation } from '#server/accounts/announce-organisation.ts';
import { handObjects } from '#server/accounts/hand-objects.ts';
import { handOverToken } from '#server/accounts/move-key.ts';
import { hasActiveOwner } from '#server/accounts/owners.ts';
import type { AppContext } from '#server/context.ts';
import type { OrganisationMemberRecord, OrganisationRecord } from '#server/db/records/organisation.ts';

export function withOrganisationLock<Result>(context: AppContext, organisationId: number, work: () => Promise<Result>): Promise<Result> {
  return withEditLock(context, `organisation:${organisationId}`, work);
}

export interface Leaving {
  organisationId: number;
  userId: number;
  /** User id of the member who gets the tokens; 0 for service accounts. */
  heir: number;
  /** If undefined, enabled keys continue to work. The person knows them. */
  keys?: 'disable' | 'keep' | undefined;
  /** 0 for the system. */
  actorId: number;
  /** Judges the member at the time of the removal; null if only tokens of one are left. */
  check?(member: OrganisationMemberRecord | null): void | Promise<void>;
  /** The account is deleted, so not even a last owner stays. */
  isGone?: boolean;
}

/**
 * Removes a member. Each token goes to `heir`, or to a service account. What a removal that was cut short leaves is done by the same removal made again.
 * @throws {AppError} `member_unknown`, `organisation_last_owner`
 */
export function endMembership(
  context: AppContext,
  { organisationId, userId, heir, keys, actorId, check, isGone = false }: Leaving,
): Promise<void> {
  return withOrganisationLock(context, organisationId, async () => {
    const { db } = context;
    const member = await db.collection('organisation_members').first({ organisation_id: organisationId, user_id: userId });
    await check?.(member);
    if (member?.role === 'owner' && !isGone) await requireOtherOwner(context, member);
    if (heir !== 0) {
      if (heir === userId) throw new AppError('member_unknown', {}, { field: 'hand_over_to' });
      await memberOf(context, organisationId, heir, 'hand_over_to');
    }
    const tokens = await db.collection('tokens').find({ user_id: organisationId, member_id: userId, DeletedAt: null });
    if (member === null && tokens.length === 0) throw new AppError('member_unknown');
    const owner = await db.collection('users').get(organisationId);
    if (owner === null) throw new AppError('organisation_unknown');
    const isStopped = keys === 'disable' || (heir === 0 && (await areKeysStopped(context, member, userId)));
    const standing = {
      member_id: heir,
      team_id: heir === 0 ? (member?.team_id ?? 0) : 0,
      ...(isStopped ? { status: TokenStatus.disabled } : {}),
    };
    for (const { id } of tokens) await handOverToken(context, { id, actorId, owner, standing });
    await handObjects(db, { organisationId, from: userId, to: heir });
    // They are void without their inviter.
    await db.collection('organisation_invites').remove({ organisation_id: organisationId, created_by: userId });
    if (member !== null) {
      await rememberLeaver(context, organisationId, userId);
      await db.collection('organisation_members').remove({ id: member.id });
    }
    await announceOrganisation(context, organisationId);
  });
}

/** Reports whether keys of the member do not work: the person knows them, so the end of the membership or of the account must not revive them. */
async function areKeysStopped({ db }: AppContext, member: OrganisationMemberRecord | null, userId: number): Promise<boolean> {
  if (member?.suspended === true) return true;
  const person = await db.collection('users').get(userId);
  return person === null || person.status !== UserStatus.active;
}

/**
 * Takes a person out of all organisations; the keys become those of service accounts.
 * @throws {AppError} `organisation_last_owner` before anything is changed, unless `isGone`
 */
export async function leaveOrganisations(context: AppContext, userId: number, isGone = false): Promise<void> {
  const memberships: OrganisationMemberRecord[] = [];
  for await (const member of context.db.collection('organisation_members').each({ user_id: userId })) memberships.push(member);
  if (!isGone) for (const member of memberships) if (member.role === 'owner') await requireOtherOwner(context, member);
  for (const { organisation_id: organisationId } of memberships) {
    await endMembership(context, { organisationId, userId, heir: 0, actorId: userId, isGone }).catch((failure: unknown) => {
      // A concurrent removal.
      if (!(failure instanceof AppError) || failure.code !== 'member_unknown') throw failure;
    });
  }
}

export type Joining = Pick<OrganisationMemberRecord, 'user_id' | 'role' | 'team_id' | 'source' | 'invited_by'> &
  Partial<
    Pick<OrganisationMemberRecord, 'invited_email' | 'external_id' | 'scim_name' | 'scim_key' | 'suspended' | 'rate_limits' | 'budgets'>
  >;

/**
 * Adds a member; returns the existing one if there is one.
 * @throws {AppError} `organisation_members_limit`, `user_not_found`, `organisation_unknown`
 */
export function addMember(context: AppContext, organisationId: number, joining: Joining): Promise<OrganisationMemberRecord> {
  return withOrganisationLock(context, organisationId, async () => {
    const known = await context.db.collection('organisation_members').first({ organisation_id: organisationId, user_id: joining.user_id });
    return known ?? insertMember(context, organisationId, joining);
  });
}

/** Under the lock of the organisation. @throws {AppError} as `addMember` */
export async function insertMember(context: AppContext, organisationId: number, joining: Joining): Promise<OrganisationMemberRecord> {
  const { db } = context;
  const members = db.collection('organisation_members');
  const [person, organisation] = await Promise.all([
    db.collection('users').get(joining.user_id),
    db.collection('organisations').get(organisationId),
  ]);
  if (person === null || person.DeletedAt !== null || person.kind !== undefined) throw new AppError('user_not_found');
  if (organisation === null || organisation.DeletedAt !== null) throw new AppError('organisation_unknown');
  if ((await members.count({ organisation_id: organisationId }, mostMembers)) >= mostMembers) {
    throw new AppError('organisation_members_limit', { limit: mostMembers });
  }
  const { team_id: teamId } = joining;
  const team = teamId === 0 ? null : await db.collection('teams').first({ id: teamId, organisation_id: organisationId });
  const record: OrganisationMemberRecord = {
    ...joining,
    // The team of an invitation may have been deleted since.
    team_id: team?.id ?? 0,
    id: await db.nextId('organisation_members'),
    organisation_id: organisationId,
    joined_at: Math.floor(context.now() / 1000),
    revision: 1,
  };
  await members.insert(record);
  await db.collection('organisation_leavers').remove({ id: leaverId(organisationId, joining.user_id) });
  return record;
}

/**
 * Makes a person a member of the organisation that has the domain of this address, which a provider has verified: once, not after they have left.
 * Never fails a sign-in for reasons of the organisation.
 */
export async function joinByDomain(context: AppContext, { id }: { id: number }, email: string): Promise<void> {
  const organisation = await organisationOfDomain(context, email);
  if (organisation === null) return;
  const { id: organisationId, domain_role: role } = organisation;
  await withOrganisationLock(context, organisationId, async () => {
    const { db } = context;
    const known = await db.collection('organisation_members').first({ organisation_id: organisationId, user_id: id });
    if (known !== null || (await db.collection('organisation_leavers').get(leaverId(organisationId, id))) !== null) return;
    await insertMember(context, organisationId, { user_id: id, role, team_id: 0, source: 'domain', invited_by: 0 });
  }).catch((failure: unknown) => {
    if (!(failure instanceof AppError) || failure.status >= 500) throw failure;
    context.log.warn({ organisation: organisationId, reason: failure.code }, 'a person could not join by domain');
  });
}

/** Organisation with the domain of the address; null if there is none. */
async function organisationOfDomain({ db }: AppContext, email: string): Promise<OrganisationRecord | null> {
  const domain = domainOf(email);
  if (domain === undefined) return null;
  const candidates = await db.collection('organisations').find({ domains: { contains: domain }, DeletedAt: null });
  return candidates.find((candidate) => isInDomains(candidate, email)) ?? null;
}

/** Whether the address is in a domain of the organisation. */
export function isInDomains({ domains }: Pick<OrganisationRecord, 'domains'>, email: string): boolean {
  const domain = domainOf(email);
  return domain !== undefined && domains.split(',').includes(domain);
}

/** Domain in lower case; undefined if it is not ASCII: `toLowerCase` makes letters of other scripts Latin ones, such as the Kelvin sign. */
function domainOf(email: string): string | undefined {
  return /^[^\s@]+@([a-z\d-]+(?:\.[a-z\d-]+)+)$/i.exec(email.trim())?.[1]?.toLowerCase();
}

async function rememberLeaver({ db }: AppContext, organisationId: number, userId: number): Promise<void> {
  const id = leaverId(organisationId, userId);
  await db
    .collection('organisation_leavers')
    .patch({ id }, { set: { organisation_id: organisationId } }, { insertIfMissing: { id, organisation_id: organisationId } });
}

function leaverId(organisationId: number, userId: number): string {
  return `${organisationId}:${userId}`;
}

/** @throws {AppError} `member_unknown` */
export async function memberOf(
  { db }: AppContext,
  organisationId: number,
  userId: number,
  field?: string,
): Promise<OrganisationMemberRecord> {
  const member = await db.collection('organisation_members').first({ organisation_id: organisationId, user_id: userId });
  if (member === null) throw new AppError('member_unknown', {}, field === undefined ? {} : { field });
  return member;
}

/** Under the lock of the organisation, so that the team is not removed meanwhile. @throws {AppError} `team_unknown` */
export async function requireTeam({ db }: AppContext, organisationId: number, id: number): Promise<void> {
  if ((await db.collection('teams').first({ id, organisation_id: organisationId })) === null) {
    throw new AppError('team_unknown', {}, { field: 'team_id' });
  }
}

/**
 * @param leaving owners who lose their role or their access together
 * @throws {AppError} `organisation_last_owner`
 */
export async function requireOtherOwner(
  { db }: AppContext,
  owner: OrganisationMemberRecord,
  leaving: readonly OrganisationMemberRecord[] = [owner],
): Promise<void> {
  if (!(await hasActiveOwner(db, owner.organisation_id, leaving))) throw new AppError('organisation_last_owner');
}
